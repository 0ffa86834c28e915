// Calls to a program that may stop at any moment.
import { randomBytes } from 'node:crypto';
import type { RunningProgram } from './program.ts';

export type CampaignAnswer = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** 0 if the answer does not contain it. */
  readonly retryAfterSeconds: number;
};

/** Formats an answer as one line. */
export function describeAnswer(answer: CampaignAnswer | undefined): string {
  if (answer === undefined) return 'no answer';
  const { code, detail, request_id } = answer.body;
  return [answer.status, code, detail, request_id].filter((part) => part !== undefined).join(' ');
}

export type Calls = ReturnType<typeof callsTo>;

export type RequestParts = {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | FormData;
};

/** Undefined if no complete answer arrived. */
export type Send = (url: string, request: RequestParts) => Promise<CampaignAnswer | undefined>;

const send: Send = async (url, init) => {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : { text },
      retryAfterSeconds: Number(response.headers.get('retry-after') ?? 0),
    };
  } catch {
    return undefined;
  }
};

export function callsTo({ env }: Pick<RunningProgram, 'env'>, sender = send) {
  function json(method: string, route: string, credential?: string, body?: unknown) {
    return sender(env.LATCHKEY_BASE_URL + route, {
      method,
      headers: {
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
  function upload(
    bytes: Uint8Array<ArrayBuffer>,
    credential = env.API_KEY,
    route = '/api/v1/documents',
  ) {
    const form = new FormData();
    form.set('file', new Blob([bytes]), 'file.bin');
    const headers = { authorization: `Bearer ${credential}` };
    return sender(env.LATCHKEY_BASE_URL + route, { method: 'POST', headers, body: form });
  }
  async function signIn(): Promise<string> {
    const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = env;
    return tokenOf(await json('POST', '/sessions', undefined, { email, password }));
  }
  async function issue(id: string, secret: string, scope: string): Promise<string> {
    const fields = { client_id: id, client_secret: secret, scope };
    return tokenOf(await json('POST', '/tokens', undefined, fields));
  }
  return { json, upload, signIn, issue };
}

/** Throws if the answer contains no token. */
function tokenOf(answer: CampaignAnswer | undefined): string {
  const token = answer?.body.access_token;
  if (typeof token !== 'string')
    throw new Error(`the answer contains no token: ${describeAnswer(answer)}`);
  return token;
}

export const managerScopes = [
  'clients:read clients:write customers:read customers:write users:read users:write',
  'workspaces:read workspaces:write audit:read signing_keys:read tokens:read tokens:write',
]
  .join(' ')
  .split(' ');

/** Creates a client with management scopes, as the first staff user. */
export async function addManager(calls: Calls): Promise<{ id: string; secret: string }> {
  const name = `Manager ${randomBytes(4).toString('hex')}`;
  const fields = { name, scopes: managerScopes };
  const answer = await calls.json('POST', '/clients', await calls.signIn(), fields);
  if (answer?.status !== 201)
    throw new Error(`the client was not created: ${describeAnswer(answer)}`);
  const { client, client_secret } = answer.body as {
    client: { id: string };
    client_secret: string;
  };
  return { id: client.id, secret: client_secret };
}
