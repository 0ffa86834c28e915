// Those who manage clients and customers, and what they get done through a transport.
import type { App } from '../../src/app.ts';
import type { Added } from './owner-rows.ts';
import { signToken } from './signed-tokens.ts';
import type { TransportAnswer } from './transports.ts';

type Manager = {
  readonly type?: 'service' | 'staff';
  /** When a member of staff has signed in, in seconds since 1970; now, unless it is given. */
  readonly authTime?: number;
  readonly sub?: string;
};

/** The credential of a caller with these scopes, by default a service client. */
export async function managerCredential(app: App, scope: string, manager: Manager = {}) {
  const token = await signToken(app, { type: 'service', ...manager, scope });
  return { authorization: `Bearer ${token}` };
}

/** The credential of a token of the customer's key that names these accounts. */
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

/** The answer's message. Throws for an error. */
export function messageOf<M>(answer: TransportAnswer<M>): M {
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.message;
}

/** An error's code; `ok` for an answer. */
export const codeOf = (answer: TransportAnswer<unknown>) => (answer.ok ? 'ok' : answer.error.code);
