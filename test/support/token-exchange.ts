// Clients that exchange tokens over HTTP, as OAuth libraries do.
import type { App } from '../../src/boot/app.ts';
import { callForm, callJson, type Form, type JsonAnswer } from './json-calls.ts';
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

const clientFields = ({ ownerId, text }: Added) => ({ client_id: ownerId, client_secret: text });

const requestTokenForm = (app: Service, client: Added, form: Form) =>
  callForm(app, '/tokens', { ...clientFields(client), ...form });

export function requestExchange(
  app: Service,
  client: Added,
  subject: string,
  form: Form = {},
): Promise<JsonAnswer<Record<string, unknown>>> {
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

function tokenIn({ status, body }: JsonAnswer<Record<string, unknown>>): string {
  if (status === 200) return String(body.access_token);
  throw new Error(JSON.stringify(body));
}
