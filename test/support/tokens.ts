// Tokens of every kind of caller, as the app itself would sign them.
import type { App } from '../../src/app.ts';
import type { TokenPrincipalType } from '../../src/rpc/principal.ts';
import { addClient, addCustomer } from './rows.ts';

export type TokenFor = {
  readonly type: TokenPrincipalType;
  readonly scope: string;
  /**
   * Who is there already, and for a customer the key's id. Unless it is given, a client or customer
   * is added who holds the scope and the accounts.
   */
  readonly sub?: string;
  readonly keyId?: string;
  readonly accounts?: readonly string[];
  /** The user's session. */
  readonly sid?: string;
  /** When the user signed in, in seconds since 1970; now, unless it is given. */
  readonly authTime?: number;
  /** From now to `exp`; 0 makes a token that has expired. */
  readonly lifetimeSeconds?: number;
};

export async function signToken(app: App, token: TokenFor): Promise<string> {
  const { type, scope, accounts, lifetimeSeconds = 300 } = token;
  const isUser = type === 'staff' || type === 'member';
  const claims = {
    ...(await subjectOf(app, token)),
    scope,
    principal_type: type,
    ...(type === 'customer' ? { accounts: accounts ?? [] } : {}),
    ...(token.sid === undefined ? {} : { sid: token.sid }),
    ...(isUser ? { auth_time: token.authTime ?? Math.floor(Date.now() / 1000), amr: ['pwd'] } : {}),
  };
  return (await app.inside.signer.sign(claims, lifetimeSeconds)).token;
}

type Subject = { readonly sub: string; readonly client_id: string };

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
    case 'member':
      return { sub: `sub_${type}`, client_id: 'latchkey' };
  }
}

/** What is told of a token that is not active. */
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
