// A service whose customer has a client that may act for it, for attacks on the token exchange.
import { decodeProtectedHeader } from 'jose';
import type { Executor } from '../../../src/storage/schema/schema.ts';
import { startTestApp } from '../../support/harness.ts';
import { callJson, type Form } from '../../support/json-calls.ts';
import { managerCredential } from '../../support/manager-calls.ts';
import {
  type Added,
  addAudience,
  addClient,
  addCustomer,
  changeAsOtherProcess,
} from '../../support/owner-rows.ts';
import type { Outcomes } from '../../support/rule.ts';
import { customerToken } from '../../support/token-exchange.ts';

export const scopes = 'payments:read payments:write';
export const audience = 'https://billing.example';

export type AttackPlace = Awaited<ReturnType<typeof startAttackPlace>>;

export type Attempt = {
  readonly client?: Added;
  /** Instead of the customer's token. */
  readonly subject?: string;
  readonly form?: Form;
};

/** The attacks, by the error of the answer. */
export type Attacks = Outcomes<(place: AttackPlace) => Promise<Attempt> | Attempt>;

export async function startAttackPlace() {
  const testApp = await startTestApp();
  const { app } = testApp;
  const { db } = app.inside;
  const customer = await addCustomer(db, `${scopes} other:read`, {
    accounts: ['acc_1', 'acc_2'],
  });
  const agent = await addClient(db, `${scopes} client:read`, {
    mayAct: [customer.ownerId, 'customer', 'service'],
  });
  const manager = await managerCredential(app, 'tokens:write');
  const change = (work: (trx: Executor) => Promise<unknown>) => changeAsOtherProcess(db, work);

  async function revoked(token: string): Promise<string> {
    const { status } = await callJson(app, 'POST', '/tokens/revoke', { token }, manager);
    if (status !== 200) throw new Error(`HTTP ${status}`);
    return token;
  }

  return {
    ...{ testApp, app, customer, agent, change, revoked },
    second: await addClient(db, scopes, { mayAct: ['customer', 'service'] }),
    /** May act for all clients. */
    all: await addClient(db, scopes, { mayAct: ['service'] }),
    stranger: await addClient(db, scopes),
    audienceId: await addAudience(db, audience),
    subject: () => customerToken(app, customer),
    kid: async () => decodeProtectedHeader(await customerToken(app, customer)).kid ?? '',
    disable: ({ ownerId }: Added) =>
      change((trx) =>
        trx.updateTable('clients').set({ disable_time: 1 }).where('id', '=', ownerId).execute(),
      ),
  };
}
