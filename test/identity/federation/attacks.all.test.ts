// Attacks on the authentication with tokens of trusted issuers. All of them get the same answer.
// The audit log names the reason, and no log line contains an assertion.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertClient } from '../../../src/identity/clients/store.ts';
import { keyScope } from '../../support/client-keys.ts';
import { addIdentity } from '../../support/federation.ts';
import { findLeaks } from '../../support/log-leaks.ts';
import { changeAsOtherProcess } from '../../support/owner-rows.ts';
import { casesOf, findFailures } from '../../support/rule.ts';
import { type AttackPlace, startAttackPlace } from './attack-place.ts';
import { forgedTokens } from './forged-tokens.ts';
import { hostileIssuers } from './hostile-issuers.ts';
import { stolenTokens } from './stolen-tokens.ts';

const attacks = [forgedTokens, stolenTokens, hostileIssuers].flatMap(casesOf);

describe('a forged or stolen token of a trusted issuer', () => {
  let place: AttackPlace;
  beforeAll(async () => {
    place = await startAttackPlace();
  });
  afterAll(() => place.stop());

  it('is refused alike, whatever is wrong with it', { timeout: 120_000 }, async () => {
    const valid = async () => place.request(await place.signed({}));
    await expect.poll(valid).toMatchObject({ status: 200 });
    const bodies = new Set<string>();
    const sent: string[] = [];
    const failures = await findFailures(attacks, async (_name, _reason, attack) => {
      const attempt = await attack(place);
      sent.push(attempt.assertion);
      const answer = await place.request(attempt);
      const { request_id: _id, ...rest } = answer.body;
      bodies.add(JSON.stringify(rest));
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    });
    expect(failures).toEqual([]);
    expect(bodies.size).toBe(1);
    expect(attacks.length).toBeGreaterThanOrEqual(85);
    expect(place.bait.requests).toEqual([]);

    const expected = new Set(attacks.map(([, reason]) => reason));
    await expect.poll(() => readReasons(place)).toEqual(expected);
    expect(await findLeaks(place.testApp, sent)).toEqual([]);
    const log = await place.testApp.logText();
    for (const reason of expected) expect(log).toContain(reason);
    expect(await valid()).toMatchObject({ status: 200 });
  });

  it('is recorded for an imported client, whose id has no fixed form', async () => {
    const { db } = place.testApp.app.inside;
    const clientId = 'billing.ci';
    const row = { id: clientId, name: 'Billing', scopes: keyScope, create_time: Date.now() };
    await changeAsOtherProcess(db, (trx) => insertClient(trx, row));
    await addIdentity(db, clientId, place.issuerId, 'repo:octo-org/billing:*');
    const { assertion } = await place.signed({});
    expect(await place.request({ assertion, clientId })).toMatchObject({ status: 401 });
    const events = () =>
      db.selectFrom('audit_events').select('reason').where('target', '=', clientId).execute();
    await expect
      .poll(events)
      .toEqual([{ reason: 'No federated identity of the client matches the assertion.' }]);
  });
});

async function readReasons({ testApp }: AttackPlace): Promise<Set<string>> {
  const rows = await testApp.app.inside.db
    .selectFrom('audit_events')
    .select('reason')
    .where('code', '=', 'identity.credential_invalid')
    .execute();
  return new Set(rows.map(({ reason }) => reason));
}
