// The revoked tokens that a process knows: all of them, while it reads only new rows.
import { expect, it, onTestFinished } from 'vitest';
import { openRevocations } from '../../src/identity/tokens/revocations.ts';
import { incrementRevision, transact } from '../../src/storage/database.ts';
import { watchInvalidations } from '../../src/storage/invalidation.ts';
import type { Database } from '../../src/storage/schema.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';

// Within a second, as a rule: a busy machine may take longer.
const patience = { timeout: 10_000, interval: 20 };
const soon = () => Math.floor(Date.now() / 1000) + 300;

/** Another process: its connection, its changes, its clock, and the rows that it has read. */
async function openProcess(url: string, now = Date.now) {
  const db = await openUntilFinished(url);
  let read = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if ('jti' in (result.rows[0] ?? {})) read += result.rows.length;
      return result;
    },
  });
  const invalidations = await watchInvalidations(db);
  onTestFinished(() => invalidations.stop());
  const revocations = await openRevocations({ db: counted, invalidations, now });
  const revoke = (jti: string, exp: number) =>
    revocations.revoke(jti, exp, (work) => transact(db, work));
  return { db, revocations: { has: revocations.has, revoke }, rowsRead: () => read };
}

/** Revokes many tokens in one transaction. */
async function revokeMany(db: Database, count: number): Promise<void> {
  await transact(db, async (trx) => {
    const revision = await incrementRevision(trx, 'revoked_tokens');
    const common = { expire_time: soon() * 1000, revision };
    for (let i = 0; i < count; i += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, j) => ({ ...common, jti: `many ${i + j}` }));
      await trx.insertInto('revoked_tokens').values(rows).execute();
    }
  });
}

describeDialects('a revocation', (dialect) => {
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
    const before = there.rowsRead();
    expect(before).toBe(20_000);

    for (let i = 0; i < 5; i++) {
      await here.revocations.revoke(`jti ${i}`, soon());
      await expect.poll(() => there.revocations.has(`jti ${i}`), patience).toBe(true);
    }

    expect(there.rowsRead() - before).toBe(5);
  });

  it('is known to a process that starts later', async () => {
    const url = await freshDatabaseUrl(dialect);
    const { revocations } = await openProcess(url);
    await revocations.revoke('jti', soon());

    expect(await (await openProcess(url)).revocations.has('jti')).toBe(true);
  });

  it('is not missed if another transaction begins before it and ends after it', async () => {
    const url = await freshDatabaseUrl(dialect);
    const [here, there] = [await openProcess(url), await openProcess(url)];
    const watcher = await openProcess(url);
    let others: Promise<void> | undefined;

    await transact(here.db, async (trx) => {
      const revision = await incrementRevision(trx, 'revoked_tokens');
      others ??= there.revocations.revoke('second', soon());
      // Time for the second to commit before the first, if that were possible.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const row = { jti: 'first', expire_time: soon() * 1000, revision };
      await trx.insertInto('revoked_tokens').values(row).execute();
    });
    await others;

    for (const { revocations } of [watcher, here, there]) {
      await expect.poll(() => revocations.has('second'), patience).toBe(true);
      await expect.poll(() => revocations.has('first'), patience).toBe(true);
    }
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

  it('is deleted from the database and from memory long after its token has expired', async () => {
    const url = await freshDatabaseUrl(dialect);
    let now = Date.now();
    const { db, revocations } = await openProcess(url, () => now);
    await revocations.revoke('old', Math.floor(now / 1000) + 60);
    now += 400_000;

    await revocations.revoke('new', Math.floor(now / 1000) + 60);

    const rows = await db.selectFrom('revoked_tokens').select('jti').execute();
    expect(rows).toEqual([{ jti: 'new' }]);
    await expect.poll(() => revocations.has('old'), patience).toBe(false);
    expect(await revocations.has('new')).toBe(true);
  });
});
