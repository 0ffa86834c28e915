// Callers that manage clients and customers, and their calls through a transport.
import { beforeAll } from 'vitest';
import type { App } from '../../src/boot/app.ts';
import type { Added } from './owner-rows.ts';
import { signToken } from './signed-tokens.ts';
import type { TransportAnswer } from './transports.ts';

type Manager = {
  readonly type?: 'service' | 'staff';
  /** The time of a staff user's sign-in, in seconds since 1970; by default now. */
  readonly authTime?: number;
  readonly sub?: string;
};

/** The credential of a caller with these scopes; by default a service client. */
export async function managerCredential(app: App, scope: string, manager: Manager = {}) {
  const token = await signToken(app, { type: 'service', ...manager, scope });
  return { authorization: `Bearer ${token}` };
}

/** The same for all tests of a suite. Use it only in tests and later hooks. */
export function useManager(suite: { readonly app: App }, scope: string, manager: Manager = {}) {
  let authorization = '';
  beforeAll(async () => {
    ({ authorization } = await managerCredential(suite.app, scope, manager));
  });
  return {
    get authorization() {
      return authorization;
    },
  };
}

/** The credential of a token from the customer's key, restricted to these accounts. */
export async function customerCredential(app: App, key: Added, accounts: readonly string[]) {
  const token = await signToken(app, {
    type: 'customer',
    scope: 'accounts:read',
    sub: key.ownerId,
    keyId: key.credentialId,
    accounts,
  });
  return { authorization: `Bearer ${token}` };
}

/** Returns the answer's message; throws for an error. */
export function messageOf<M>(answer: TransportAnswer<M>): M {
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.message;
}

/** Returns an error's code; `ok` for an answer. */
export const codeOf = (answer: TransportAnswer<unknown>) => (answer.ok ? 'ok' : answer.error.code);
