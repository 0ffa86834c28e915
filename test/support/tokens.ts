// Tokens of every kind of caller, as the app itself would sign them.
import type { App } from '../../src/app.ts';
import type { TokenPrincipalType } from '../../src/rpc/principal.ts';

export type TokenFor = {
  readonly type: TokenPrincipalType;
  readonly scope: string;
  readonly sub?: string;
  readonly accounts?: readonly string[];
  /** When the user signed in, in seconds since 1970; now, unless it is given. */
  readonly authTime?: number;
  /** From now to `exp`; 0 makes a token that has expired. */
  readonly lifetimeSeconds?: number;
};

export async function signToken({ inside }: App, token: TokenFor): Promise<string> {
  const { type, scope, sub = `sub_${type}`, accounts, lifetimeSeconds = 300 } = token;
  const isUser = type === 'staff' || type === 'member';
  const claims = {
    sub,
    client_id: type === 'service' ? sub : 'latchkey',
    scope,
    principal_type: type,
    ...(type === 'customer' ? { accounts: accounts ?? [] } : {}),
    ...(isUser ? { auth_time: token.authTime ?? Math.floor(Date.now() / 1000), amr: ['pwd'] } : {}),
  };
  return (await inside.signer.sign(claims, lifetimeSeconds)).token;
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
