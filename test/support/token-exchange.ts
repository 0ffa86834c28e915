// Clients that exchange tokens over HTTP, as OAuth libraries do.
import type { App } from '../../src/boot/app.ts';
import { callJson } from './json-calls.ts';
import type { Added } from './owner-rows.ts';

type Service = Pick<App, 'publicUrl'>;

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

const subjectFields = (token: string) => ({
  subject_token: token,
  subject_token_type: accessTokenType,
});

export const actorFields = (token: string) => ({
  actor_token: token,
  actor_token_type: accessTokenType,
});

export type FormAnswer = {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
};

/** A list gives a parameter several times. */
export type Form = Readonly<Record<string, string | readonly string[]>>;

/** Sends a form to an OAuth endpoint. */
async function sendForm(url: string, form: Form, headers = {}): Promise<FormAnswer> {
  const pairs = Object.entries(form).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as [string, string]),
  );
  const body = new URLSearchParams(pairs);
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, body: (await response.json()) as FormAnswer['body'] };
}

const clientFields = ({ ownerId, text }: Added) => ({ client_id: ownerId, client_secret: text });

function requestTokenForm(app: Service, client: Added, form: Form): Promise<FormAnswer> {
  return sendForm(`${app.publicUrl}/tokens`, { ...clientFields(client), ...form });
}

export function requestExchange(
  app: Service,
  client: Added,
  subject: string,
  form: Form = {},
): Promise<FormAnswer> {
  const fields = { grant_type: exchangeGrant, ...subjectFields(subject), ...form };
  return requestTokenForm(app, client, fields);
}

/** Returns the new token. Throws for a refusal. */
export async function exchangedToken(...request: Parameters<typeof requestExchange>) {
  return tokenIn(await requestExchange(...request));
}

export async function ownToken(app: App, client: Added, scope: string): Promise<string> {
  return tokenIn(await requestTokenForm(app, client, { grant_type: 'client_credentials', scope }));
}

export async function customerToken(app: App, { text }: Added): Promise<string> {
  return tokenIn(await callJson(app, 'POST', '/tokens/api-key', { api_key: text }));
}

function tokenIn({ status, body }: FormAnswer): string {
  if (status === 200) return String(body.access_token);
  throw new Error(JSON.stringify(body));
}
