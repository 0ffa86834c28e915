// A shared document, and a program that reads it for a person.
import { beforeAll, expect } from 'vitest';
import type { Suite } from './app-suite.ts';
import { type Holder, makeHolder, requestBoundToken } from './dpop.ts';
import { callJson } from './json-calls.ts';
import { managerCredential } from './manager-calls.ts';
import { type Added, addClient } from './owner-rows.ts';
import { makePdf } from './pdf.ts';
import {
  bearer,
  callSharingApi,
  type DocumentFields,
  type LinkFields,
  makeLink,
  upload,
} from './sharing-api.ts';
import { signToken } from './signed-tokens.ts';
import { accessTokenType, exchangedToken, exchangeGrant } from './token-exchange.ts';
import { addUser } from './user-rows.ts';

export const pdf = makePdf({ pages: 2, text: 'The secret terms' });
/** The address of the person. */
export const email = 'alice@example.com';
export const routes = ['/file', '/versions/1/file', '/download'];

export type Headers = Readonly<Record<string, string>>;
export type Options = Readonly<Record<string, unknown>>;

type ViewFields = {
  readonly email: string;
  readonly email_verified: boolean;
  readonly acting_client_id: string;
  readonly acting_client_name: string;
  readonly download_count: number;
};

export function useProgram(suite: Suite) {
  const test = () => suite.testApp;
  let document: DocumentFields;
  let agent: Added;
  let userId: string;
  let holder: Holder;
  beforeAll(async () => {
    const { db } = suite.app.inside;
    document = await upload(test(), pdf, 'terms.pdf');
    const mayAct = ['staff', 'customer', 'service'];
    agent = await addClient(db, 'documents:read accounts:read', { mayAct });
    const scopes = 'documents:read accounts:read';
    userId = (await addUser(db, { email, scopes })).id;
    holder = await makeHolder();
  });

  const open = (options: Options = {}): Promise<LinkFields> =>
    makeLink(test(), document.id, { allow_download: true, program_access: true, ...options });

  const personToken = (scope = 'documents:read accounts:read') =>
    signToken(suite.app, { type: 'staff', sub: userId, scope });

  const delegated = async (form = {}, by = agent) =>
    exchangedToken(suite.app, by, await personToken(), form);

  const credential = async (form = {}, by = agent) => bearer(await delegated(form, by));

  async function boundToken(): Promise<string> {
    return requestBoundToken(suite.app, holder, {
      ...{ grant_type: exchangeGrant, subject_token: await personToken() },
      ...{ subject_token_type: accessTokenType },
      ...{ client_id: agent.ownerId, client_secret: agent.text },
    });
  }

  async function manage(scope: string, path: string, body: object) {
    const credential = await managerCredential(suite.app, scope);
    const made = await callJson<{ readonly id: string }>(suite.app, 'POST', path, body, credential);
    expect(Math.floor(made.status / 100)).toBe(2);
    return made.body;
  }

  const revoke = (token: string) => manage('tokens:write', '/tokens/revoke', { token });

  async function viewsOf({ id }: LinkFields): Promise<ViewFields[]> {
    const route = `/links/${id}/views`;
    const { body } = await callSharingApi<{ views: ViewFields[] }>(test(), 'GET', route);
    return body.views;
  }

  async function statusesOf(link: LinkFields, headers: Headers): Promise<number[]> {
    const answers = await Promise.all(routes.map((route) => fetch(link.url + route, { headers })));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    return answers.map(({ status }) => status);
  }

  return {
    ...{ test, open, personToken, delegated, credential, boundToken, manage, revoke, viewsOf },
    statusesOf,
    place: () => ({ document, agent, userId, holder }),
  };
}
