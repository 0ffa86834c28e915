// Tokens of every kind of caller, as the app itself would sign them.

import type { TokenPrincipalType } from '../../src/api/principal.ts';
import type { App } from '../../src/app.ts';
import { addClient, addCustomer } from './owner-rows.ts';
import { addSession, addUser } from './user-rows.ts';

export type TokenFor = {
  readonly type: TokenPrincipalType;
  readonly scope: string;
  /**
   * Who is there already, and for a customer the key's id. Unless it is given, a client, customer
   * or user is added who holds the scope and the accounts; a member is one of no workspace.
   */
  readonly sub?: string;
  readonly keyId?: string;
  readonly accounts?: readonly string[];
  /** When the user signed in, in seconds since 1970; now, unless it is given. */
  readonly authTime?: number;
  /** From now to `exp`; 0 makes a token that has expired. */
  readonly lifetimeSeconds?: number;
};

export async function signToken(app: App, token: TokenFor): Promise<string> {
  const { type, scope, accounts, lifetimeSeconds = 300 } = token;
  const isUser = type === 'staff' || type === 'member';
  const subject = await subjectOf(app, token);
  const claims = {
    ...subject,
    scope,
    principal_type: type,
    ...(type === 'customer' ? { accounts: accounts ?? [] } : {}),
    ...(isUser ? await sessionOf(app, subject, token) : {}),
  };
  return (await app.inside.signer.sign(claims, lifetimeSeconds)).token;
}

type Subject = { readonly sub: string; readonly client_id: string };

/** A session of its own for each token, which a test may end. */
async function sessionOf({ inside }: App, { sub }: Subject, { authTime }: TokenFor) {
  const auth_time = authTime ?? Math.floor(Date.now() / 1000);
  const { id } = await addSession(inside.db, sub, { createTime: auth_time * 1000 });
  return { auth_time, amr: ['pwd'], sid: id };
}

/** Those that were added, so that many tokens alike need no row each. */
const added = new WeakMap<App, Map<string, Promise<Subject>>>();

async function subjectOf(app: App, token: TokenFor): Promise<Subject> {
  const { type, scope, sub, keyId = 'latchkey', accounts = [] } = token;
  if (sub !== undefined) return { sub, client_id: type === 'service' ? sub : keyId };
  const subjects = added.get(app) ?? new Map<string, Promise<Subject>>();
  added.set(app, subjects);
  const alike = JSON.stringify([type, scope, accounts]);
  const subject = subjects.get(alike) ?? addSubject(app, token);
  subjects.set(alike, subject);
  return subject;
}

async function addSubject({ inside }: App, token: TokenFor): Promise<Subject> {
  const { type, scope, accounts = [] } = token;
  switch (type) {
    case 'service': {
      const { ownerId } = await addClient(inside.db, scope);
      return { sub: ownerId, client_id: ownerId };
    }
    case 'customer': {
      const { ownerId, credentialId } = await addCustomer(inside.db, scope, { accounts });
      return { sub: ownerId, client_id: credentialId };
    }
    case 'staff':
    case 'member': {
      const { id } = await addUser(inside.db, { kind: type, scopes: scope });
      return { sub: id, client_id: 'latchkey' };
    }
  }
}

/** The answer for a token that is not active. */
export const inactive = {
  active: false,
  allowed: false,
  code: 'unauthenticated',
  sub: '',
  clientId: '',
  scope: '',
  aud: '',
  iss: '',
  iat: 0,
  exp: 0,
  jti: '',
  principalType: '',
  accounts: [],
  authTime: 0,
};
