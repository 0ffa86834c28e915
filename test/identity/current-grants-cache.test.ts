// The cached current grants of tokens: fast, and never used after a change.

import { expect, it, onTestFinished } from 'vitest';
import { openAudiences } from '../../src/identity/audiences/audiences.ts';
import type { Claims } from '../../src/identity/tokens/claims.ts';
import { createLimitToGrants } from '../../src/identity/tokens/current-grants.ts';
import { transact } from '../../src/storage/database.ts';
import { watchInvalidations } from '../../src/storage/invalidation.ts';
import type { Executor } from '../../src/storage/schema.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeFeature } from '../support/matrix.ts';
import { type Added, addClient } from '../support/owner-rows.ts';

describeFeature('the current grants of a token', (dialect) => {
  async function open() {
    const url = await freshDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    // Before the invalidations are watched, because a change would evict what is cached.
    const client = await addClient(db, 'a:read');
    let monotonic = 1_000_000;
    const invalidations = await watchInvalidations(db, { monotonicNow: () => monotonic });
    onTestFinished(() => invalidations.stop());
    let queries = 0;
    let answers = 0;
    let hold: Promise<void> | undefined;
    // Uses a separate connection, so that the changes need not wait for it.
    const counted = (await openUntilFinished(url)).withPlugin({
      transformQuery({ node }) {
        queries++;
        return node;
      },
      async transformResult({ result }) {
        answers++;
        await hold;
        return result;
      },
    });
    const options = { db: counted, invalidations, now: Date.now };
    const audiences = await openAudiences({ db, invalidations, publicUrl: claimsOf(client).aud });
    const limitToGrants = createLimitToGrants({
      ...options,
      audiences,
      limitToUserGrants: async () => undefined,
    });
    return {
      limitToGrants,
      claims: claimsOf(client),
      queries: () => queries,
      answers: () => answers,
      /** Keeps every answer of the database back until it is called. */
      holdAnswers() {
        let release = () => {};
        hold = new Promise((resolve) => {
          release = resolve;
        });
        return release;
      },
      async change(work: (trx: Executor) => Promise<unknown>) {
        await transact(db, async (trx) => void (await work(trx)));
      },
      async loseDatabase(ms: number) {
        await db.destroy();
        monotonic += ms;
      },
      disabled: setDisabled(client, Date.now()),
      enabled: setDisabled(client, null),
    };
  }

  it('cost no query after the first', async () => {
    const { limitToGrants, claims, queries } = await open();
    expect(await limitToGrants(claims)).toEqual(claims);
    const before = queries();

    for (let i = 0; i < 10; i++) expect(await limitToGrants(claims)).toEqual(claims);

    expect(queries()).toBe(before);
  });

  it('are cached for an unknown client too', async () => {
    const { limitToGrants, claims, queries } = await open();
    const nobody = { ...claims, sub: 'cli_none', client_id: 'cli_none' };
    expect(await limitToGrants(nobody)).toBeUndefined();
    const before = queries();

    expect(await limitToGrants(nobody)).toBeUndefined();

    expect(queries()).toBe(before);
  });

  it('change at once when this process makes the change', async () => {
    const { limitToGrants, claims, change, disabled, enabled } = await open();
    expect(await limitToGrants(claims)).toEqual(claims);

    await change(disabled);
    expect(await limitToGrants(claims)).toBeUndefined();
    await change(enabled);
    expect(await limitToGrants(claims)).toEqual(claims);
  });

  it('are not those that were read before a change and arrived after it', async () => {
    const { limitToGrants, claims, change, disabled, holdAnswers, answers } = await open();
    const before = answers();
    const release = holdAnswers();
    const early = limitToGrants(claims);
    // The query itself is done: only its answer is late.
    await expect.poll(answers).toBe(before + 1);
    await change(disabled);
    release();
    expect(await early).toEqual(claims);

    expect(await limitToGrants(claims)).toBeUndefined();
  });

  it('of users are read by the part that manages users', async () => {
    const { limitToGrants, claims } = await open();
    for (const principal_type of ['staff', 'member'] as const) {
      expect(await limitToGrants({ ...claims, principal_type })).toBeUndefined();
    }
  });
});

function claimsOf({ ownerId }: Added): Claims {
  return {
    iss: 'https://issuer.example',
    aud: 'https://issuer.example',
    sub: ownerId,
    client_id: ownerId,
    iat: 1,
    exp: 2,
    jti: 'jti',
    scope: 'a:read',
    principal_type: 'service',
  };
}

function setDisabled({ ownerId }: Added, disable_time: number | null) {
  return (trx: Executor) =>
    trx.updateTable('clients').set({ disable_time }).where('id', '=', ownerId).execute();
}
