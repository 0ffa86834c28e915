// Tokens of every type of caller, signed as the app signs them.

import type { TokenPrincipalType } from '../../src/api/principal.ts';
import type { App } from '../../src/boot/app.ts';
import type { KeyBinding } from '../../src/identity/tokens/claims.ts';
import { addClient, addCustomer } from './owner-rows.ts';
import { addSession, addUser } from './user-rows.ts';

export type TokenFor = {
  readonly type: TokenPrincipalType;
  readonly scope: string;
  /**
   * An existing principal; for a customer, the id of its key. By default a new client, customer or
   * user is added with the scopes and accounts. A new member belongs to no workspace.
   */
  readonly sub?: string;
  readonly keyId?: string;
  readonly accounts?: readonly string[];
  /** The time of the user's sign-in, in seconds since 1970; by default now. */
  readonly authTime?: number;
  /** The key to which the token is bound. */
  readonly cnf?: KeyBinding;
  /** The lifetime from now to `exp`; 0 makes an expired token. */
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
    ...(token.cnf === undefined ? {} : { cnf: token.cnf }),
    ...(isUser ? await sessionOf(app, subject, token) : {}),
  };
  return (await app.inside.signer.sign(claims, lifetimeSeconds)).token;
}

type Subject = { readonly sub: string; readonly client_id: string };

/** Gives each token a separate session, so that a test can end it. */
async function sessionOf({ inside }: App, { sub }: Subject, { authTime }: TokenFor) {
  const auth_time = authTime ?? Math.floor(Date.now() / 1000);
  const { id } = await addSession(inside.db, sub, { createTime: auth_time * 1000 });
  return { auth_time, amr: ['pwd'], sid: id };
}

/** Caches added principals, so that many equal tokens need only one row. */
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

/** The introspection answer for a token that is not active. */
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
