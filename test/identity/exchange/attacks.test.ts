// Attacks on the token exchange. The answer has an error of RFC 6749 §5.2, the audit log names the
// reason, and no log line contains a token.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLeaks } from '../../support/log-leaks.ts';
import { findFailures } from '../../support/rule.ts';
import { requestExchange } from '../../support/token-exchange.ts';
import { expectWithinOneSecond } from '../../support/within-one-second.ts';
import { type AttackPlace, startAttackPlace } from './attack-place.ts';
import { invalidRequests } from './invalid-requests.ts';
import { invalidTokens } from './invalid-tokens.ts';

const exchangeAttacks = [...invalidTokens, ...invalidRequests];

describe('a token exchange', () => {
  let place: AttackPlace;
  beforeAll(async () => {
    place = await startAttackPlace();
  });
  afterAll(() => place.testApp.remove());

  it('gives no token to an attacker', { timeout: 120_000 }, async () => {
    const { app, agent } = place;
    const sent: string[] = [];
    const details = new Set<string>();
    const valid = async () => requestExchange(app, agent, await place.subject());
    expect(await valid()).toMatchObject({ status: 200 });
    const failures = await findFailures(exchangeAttacks, async (_name, error, attack) => {
      const { client = agent, subject, form = {} } = await attack(place);
      const token = subject ?? (await place.subject());
      const tokens = [token, form.subject_token, form.actor_token, client.text].flat();
      sent.push(...tokens.filter((text) => text !== undefined));
      const request = async () => {
        const answer = await requestExchange(app, client, token, form);
        return { answer, is: answer.body.error };
      };
      // A change of another process is known within a second.
      await expectWithinOneSecond(app.inside.db, async () => (await request()).is, error);
      const { answer } = await request();
      expect(answer.body).not.toHaveProperty('access_token');
      expect(answer.status).toBe(error === 'invalid_client' ? 401 : 400);
      if (error !== 'invalid_client') details.add(String(answer.body.detail));
    });
    expect(failures).toEqual([]);
    expect(exchangeAttacks.length).toBe(56);
    expect(await valid()).toMatchObject({ status: 200 });

    expect(await findLeaks(place.testApp, sent)).toEqual([]);
    await expect
      .poll(() => readReasons(place))
      .toEqual(
        expect.arrayContaining([
          'subject_token: must be a live access token of this service',
          'subject_token: must represent a subject in may_act of the client',
          'subject_token: must not represent the client or name it as an actor',
          'subject_token: must have fewer than 5 actors',
          'actor_token: must be a token that the client got for itself',
          'accounts: must be accounts of subject_token',
          'resource: must be the audience of subject_token',
          'The scope client:read is not granted.',
        ]),
      );
    expect(details.size).toBeGreaterThan(15);
  });
});

async function readReasons({ app }: AttackPlace): Promise<string[]> {
  const rows = await app.inside.db
    .selectFrom('audit_events')
    .select('reason')
    .where('action', '=', 'IssuanceService.IssueToken')
    .where('target', 'like', 'cli_%')
    .execute();
  return rows.map(({ reason }) => reason);
}
