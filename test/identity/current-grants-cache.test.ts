// What is kept of a token's ground: fast, and never beyond a change.
import { expect, it, onTestFinished } from 'vitest';
import type { Claims } from '../../src/identity/tokens/claims.ts';
import { createStanding } from '../../src/identity/tokens/current-grants.ts';
import { transact } from '../../src/storage/database.ts';
import { recordChange, watchChanges } from '../../src/storage/invalidation.ts';
import type { Executor } from '../../src/storage/schema.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';
import { type Added, addClient } from '../support/rows.ts';

describeDialects("what is known of a token's ground", (dialect) => {
  async function open() {
    const url = await freshDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    const changes = await watchChanges(db);
    onTestFinished(() => changes.stop());
    const client = await addClient(db, 'a:read');
    await changes.announce('access');
    let queries = 0;
    let hold: Promise<void> | undefined;
    // On a connection of its own, so that the changes need not wait for it.
    const counted = (await openUntilFinished(url)).withPlugin({
      transformQuery({ node }) {
        queries++;
        return node;
      },
      async transformResult({ result }) {
        await hold;
        return result;
      },
    });
    const options = { db: counted, changes, now: Date.now };
    const narrow = createStanding({ ...options, narrowUser: async () => undefined });
    return {
      narrow,
      claims: claimsOf(client),
      queries: () => queries,
      /** Keeps every answer of the database back until it is called. */
      holdAnswers() {
        let release = () => {};
        hold = new Promise((resolve) => {
          release = resolve;
        });
        return release;
      },
      async change(work: (trx: Executor) => Promise<unknown>) {
        await transact(db, async (trx) => {
          await work(trx);
          await recordChange(trx, 'access');
        });
        await changes.announce('access');
      },
      disabled: setDisabled(client, Date.now()),
      enabled: setDisabled(client, null),
    };
  }

  it('costs no query once it was seen', async () => {
    const { narrow, claims, queries } = await open();
    expect(await narrow(claims)).toEqual(claims);
    const before = queries();

    for (let i = 0; i < 10; i++) expect(await narrow(claims)).toEqual(claims);

    expect(queries()).toBe(before);
  });

  it('is also that there is none', async () => {
    const { narrow, claims, queries } = await open();
    const nobody = { ...claims, sub: 'cli_none', client_id: 'cli_none' };
    expect(await narrow(nobody)).toBeUndefined();
    const before = queries();

    expect(await narrow(nobody)).toBeUndefined();

    expect(queries()).toBe(before);
  });

  it('changes at once where this process has made the change', async () => {
    const { narrow, claims, change, disabled, enabled } = await open();
    expect(await narrow(claims)).toEqual(claims);

    await change(disabled);
    expect(await narrow(claims)).toBeUndefined();
    await change(enabled);
    expect(await narrow(claims)).toEqual(claims);
  });

  it('is not what was read before a change and arrived after it', async () => {
    const { narrow, claims, change, disabled, holdAnswers, queries } = await open();
    const before = queries();
    const release = holdAnswers();
    const early = narrow(claims);
    await expect.poll(queries).toBe(before + 1);
    // The query itself is done: only its answer is late.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await change(disabled);
    release();
    expect(await early).toEqual(claims);

    expect(await narrow(claims)).toBeUndefined();
  });

  it("of a user's is asked of those who keep users", async () => {
    const { narrow, claims } = await open();
    for (const principal_type of ['staff', 'member'] as const) {
      expect(await narrow({ ...claims, principal_type })).toBeUndefined();
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
