// The revoked tokens that a process knows: all of them, while it reads only their changes.
import { expect, it, onTestFinished } from 'vitest';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { oldRowRules } from '../../src/boot/old-rows.ts';
import { openRevocations } from '../../src/identity/tokens/revocations.ts';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';
import { createRetention } from '../../src/storage/upkeep/retention.ts';
import { replaceChanges } from '../support/changes.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

// Within a second, as a rule: a busy machine may take longer.
const patience = { timeout: 10_000, interval: 20 };
const soon = () => Math.floor(Date.now() / 1000) + 300;

const masterKey = createMasterKey(Buffer.alloc(32));

/** Another process: its connection, its changes, its clock, and the rows that it has read. */
async function openProcess(url: string, now = Date.now) {
  const db = await openUntilFinished(url);
  let read = 0;
  let queries = 0;
  let afterPage = async () => {};
  const counted = db.withPlugin({
    transformQuery({ node }) {
      queries++;
      return node;
    },
    async transformResult({ result }) {
      const [row = {}] = result.rows;
      if ('jti' in row) read += result.rows.length;
      if ('expire_time' in row) await afterPage();
      return result;
    },
  });
  const invalidations = await watchInvalidations(db);
  onTestFinished(() => invalidations.stop());
  const revocations = openRevocations({ db: counted, invalidations, masterKey, now });
  const revoke = (jti: string, exp: number) =>
    revocations.revoke(jti, exp, (work) => transact(db, work));
  return {
    db,
    revocations: { has: revocations.has, revoke },
    revokeId: (jti: string, callerId: string) =>
      revocations.revokeId(jti, callerId, (work) => transact(db, work)),
    rowsRead: () => read,
    /** Runs `work` after each read of a page of all revocations. */
    afterPages(work: () => Promise<void>) {
      afterPage = work;
    },
    /** Waits until the process knows all revocations. */
    expectNoQueries: () =>
      expect
        .poll(async () => {
          const before = queries;
          await revocations.has('unknown');
          return queries - before;
        }, patience)
        .toBe(0),
  };
}

/** Revokes many tokens in one transaction. */
async function revokeMany(db: Database, count: number): Promise<void> {
  await transact(db, async (trx) => {
    const common = { expire_time: soon() * 1000, revision: 0 };
    for (let i = 0; i < count; i += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, j) => ({ ...common, jti: `many ${i + j}` }));
      await trx.insertInto('revoked_tokens').values(rows).execute();
    }
  });
}

describeDialects('a revocation', (dialect) => {
  it('by an id is limited for each caller', async () => {
    let time = Date.now();
    const { db, revokeId } = await openProcess(await freshDatabaseUrl(dialect), () => time);
    const count = async () =>
      (await db.selectFrom('revoked_tokens').select('jti').execute()).length;
    for (let i = 0; i < 1_000; i++) await revokeId(`id ${i}`, 'cli_1');
    const limited = { code: 'rate_limited', extra: { retryAfterSeconds: 1 } };
    await expect(revokeId('late', 'cli_1')).rejects.toMatchObject(limited);
    expect(await count()).toBe(1_000);
    await revokeId('of another caller', 'cli_2');
    time += 1_000;
    await revokeId('late', 'cli_1');
    expect(await count()).toBe(1_002);
  });

  it('is known immediately here, and soon in other processes', async () => {
    const url = await freshDatabaseUrl(dialect);
    const [here, there] = [await openProcess(url), await openProcess(url)];

    await here.revocations.revoke('jti', soon());

    expect(await here.revocations.has('jti')).toBe(true);
    expect(await here.revocations.has('other')).toBe(false);
    await expect.poll(() => there.revocations.has('jti'), patience).toBe(true);
  });

  it('is read without the others, however many there are', async () => {
    const url = await freshDatabaseUrl(dialect);
    const [here, there] = [await openProcess(url), await openProcess(url)];
    await revokeMany(here.db, 20_000);
    await expect.poll(() => there.revocations.has('many 19999'), { timeout: 10_000 }).toBe(true);
    expect(await there.revocations.has('many 0')).toBe(true);
    await there.expectNoQueries();
    const before = there.rowsRead();

    for (let i = 0; i < 5; i++) {
      await here.revocations.revoke(`jti ${i}`, soon());
      await expect.poll(() => there.revocations.has(`jti ${i}`), patience).toBe(true);
    }

    // The ids came with the changes.
    expect(there.rowsRead() - before).toBe(0);
  });

  it('waits for no other revocation', async () => {
    if (dialect === 'sqlite') return;
    const url = await freshDatabaseUrl(dialect);
    const [here, there] = [await openProcess(url), await openProcess(url)];

    await transact(here.db, async (trx) => {
      await insertRevocation(trx, 'first');
      // This call would wait for ever if both transactions changed a common row.
      await there.revocations.revoke('second', soon());
      expect(await there.revocations.has('second')).toBe(true);
      expect(await there.revocations.has('first')).toBe(false);
    });

    await expect.poll(() => there.revocations.has('first'), patience).toBe(true);
    await expect.poll(() => here.revocations.has('second'), patience).toBe(true);
  });

  it('is known to a process that starts later, however many there are', async () => {
    const url = await freshDatabaseUrl(dialect);
    await revokeMany((await openProcess(url)).db, 5_000);

    const { revocations, expectNoQueries } = await openProcess(url);

    for (const i of [0, 1_999, 2_000, 4_999]) {
      expect(await revocations.has(`many ${i}`)).toBe(true);
    }
    await expectNoQueries();
    for (const i of [1, 2_001, 4_998]) expect(await revocations.has(`many ${i}`)).toBe(true);
    expect(await revocations.has('many 5000')).toBe(false);
  });

  it('is known while a process reads all revocations, even if it missed the change', async () => {
    const url = await freshDatabaseUrl(dialect);
    const [here, there] = [await openProcess(url), await openProcess(url)];
    await revokeMany(here.db, 3_000);
    await expect.poll(() => there.revocations.has('many 2999'), patience).toBe(true);
    let pages = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release());
    there.afterPages(async () => {
      pages++;
      // A delayed result would occupy the only connection of SQLite.
      if (dialect === 'sqlite') throw new Error('cannot read');
      await released;
    });

    await transact(here.db, async (trx) => {
      await insertRevocation(trx, 'missed');
      await trx.deleteFrom('changes').where('entity_id', '=', 'missed').execute();
    });
    await replaceChanges(here.db.withoutPlugins());
    await expect.poll(() => pages, patience).toBeGreaterThan(0);

    expect(await there.revocations.has('missed')).toBe(true);
    await here.revocations.revoke('later', soon());
    await expectWithinOneSecond(here.db, () => there.revocations.has('later'), true);
    expect(await there.revocations.has('other')).toBe(false);
    there.afterPages(async () => {});
    release();
    await there.expectNoQueries();
  });

  it('of one token may come from many callers concurrently', async () => {
    const url = await freshDatabaseUrl(dialect);
    const [here, there] = [await openProcess(url), await openProcess(url)];

    await Promise.all(
      [here, there, here, there].map(({ revocations }) => revocations.revoke('jti', soon())),
    );

    const rows = await here.db.selectFrom('revoked_tokens').select('jti').execute();
    expect(rows).toEqual([{ jti: 'jti' }]);
    expect(await (await openProcess(url)).revocations.has('jti')).toBe(true);
  });

  it('is not forgotten for a process whose clock is five minutes behind', async () => {
    const url = await freshDatabaseUrl(dialect);
    const now = Date.now();
    const exp = Math.floor(now / 1000) + 1;
    const ahead = await openProcess(url, () => now + 300_000);
    await ahead.revocations.revoke('jti', exp);
    await ahead.revocations.revoke('another', soon());

    const behind = await openProcess(url, () => now);

    expect(await behind.revocations.has('jti')).toBe(true);
  });

  it('is deleted from the database long after its token has expired', async () => {
    const url = await freshDatabaseUrl(dialect);
    let now = Date.now();
    const { db, revocations } = await openProcess(url, () => now);
    await revokeMany(db, 2_000);
    await revocations.revoke('old', Math.floor(now / 1000) + 60);
    now += 700_000;
    await revocations.revoke('new', Math.floor(now / 1000) + 60);

    const rules = oldRowRules(() => now);
    await createRetention({ db, rules, warn: () => {} })(new AbortController().signal);

    const rows = await db.selectFrom('revoked_tokens').select('jti').execute();
    expect(rows).toEqual([{ jti: 'new' }]);
    expect(await revocations.has('new')).toBe(true);
  });
});

async function insertRevocation(trx: Executor, jti: string): Promise<void> {
  const row = { jti, expire_time: soon() * 1000, revision: 0 };
  await trx.insertInto('revoked_tokens').values(row).execute();
}
