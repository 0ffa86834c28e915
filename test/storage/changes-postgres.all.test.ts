// Concurrent transactions on PostgreSQL: every process learns of every change, in any order of
// begins, writes and commits, and no transaction waits for another.
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { transact } from '../../src/storage/database.ts';
import { createChangesTrim } from '../../src/storage/upkeep/trim-changes.ts';
import { fillCachedTables } from '../support/cached-rows.ts';
import { changeEntity, waitForEarlierTransactions } from '../support/changes.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

describe('changes of concurrent transactions', () => {
  async function open() {
    const url = await migratedDatabaseUrl('postgres');
    const db = await openUntilFinished(url);
    const invalidations = await watchInvalidations(db);
    onTestFinished(() => invalidations.stop());
    const heard: string[] = [];
    invalidations.onEviction(({ isComplete, list }) => {
      if (!isComplete) heard.push('everything');
      heard.push(...list.map(({ entityId }) => entityId));
    });
    /**
     * A transaction of another process. A statement that waits for another transaction fails.
     * PostgreSQL's own short waits, such as the lock that extends a table, take less than a second.
     */
    async function begin() {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      onTestFinished(() => client.end());
      await client.query("BEGIN; SET LOCAL lock_timeout = '1s'");
      return {
        query: (text: string) => client.query(text),
        revoke: (jti: string) =>
          client.query(`INSERT INTO revoked_tokens VALUES ('${jti}', ${Date.now()}, 0)`),
        commit: () => client.query('COMMIT'),
        rollback: () => client.query('ROLLBACK'),
      };
    }
    /** Waits until the process has polled at least once more. */
    async function poll() {
      const id = `poll ${heard.length}`;
      await changeEntity(db.withoutPlugins(), id);
      await expect.poll(() => heard).toContain(id);
      heard.splice(heard.indexOf(id), 1);
    }
    return { db, heard, begin, poll };
  }

  it('are seen if the transactions commit in the reverse order', async () => {
    const { db, heard, begin, poll } = await open();
    const [first, second] = [await begin(), await begin()];
    await first.revoke('first');
    await second.revoke('second');

    await second.commit();
    await expectWithinOneSecond(db, () => heard, ['second']);
    await poll();
    await first.commit();

    await expectWithinOneSecond(db, () => heard, ['second', 'first']);
  });

  it('are seen once if a transaction stays open for many polls', async () => {
    const { heard, begin, poll } = await open();
    const long = await begin();
    await long.revoke('early');
    for (let i = 0; i < 3; i++) {
      const short = await begin();
      await short.revoke(`short ${i}`);
      await short.commit();
      await poll();
    }
    expect(heard).toEqual(['short 0', 'short 1', 'short 2']);
    await long.revoke('late');
    await poll();

    await long.commit();

    await expect.poll(() => heard.slice(3)).toEqual(['early', 'late']);
    await poll();
    expect(heard).toHaveLength(5);
  });

  it('are not seen if the transaction is rolled back', async () => {
    const { heard, begin, poll } = await open();
    const [undone, done] = [await begin(), await begin()];
    await undone.revoke('undone');
    await done.revoke('done');

    await undone.rollback();
    await done.commit();
    await poll();

    expect(heard).toEqual(['done']);
  });

  it('are seen if a savepoint of the transaction made them', async () => {
    const { heard, begin, poll } = await open();
    const one = await begin();
    await one.revoke('before');
    await one.query('SAVEPOINT s');
    await one.revoke('undone');
    await one.query('ROLLBACK TO s');
    await one.query('SAVEPOINT t');
    await one.revoke('kept');
    await poll();

    await one.commit();
    await poll();

    expect(heard).toEqual(['before', 'kept']);
  });

  it('are all seen when many transactions interleave at random', async () => {
    const { heard, begin, poll } = await open();
    const transactions = await Promise.all(Array.from({ length: 20 }, begin));
    const expected: string[] = [];
    await Promise.all(
      transactions.map(async (one, i) => {
        for (let step = 0; step < 5; step++) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
          await one.revoke(`${i} ${step}`);
          expected.push(`${i} ${step}`);
        }
        await one.commit();
      }),
    );
    await poll();

    expect(heard.sort()).toEqual(expected.sort());
  });

  it('do not wait for each other if they change different entities', async () => {
    const { db, begin } = await open();
    await transact(db, fillCachedTables);
    const statements = [
      "UPDATE clients SET disable_time = 2 WHERE id = 'cli_1'",
      "UPDATE customers SET disable_time = 2 WHERE id = 'cus_1'",
      "UPDATE credentials SET revoke_time = 2 WHERE id = 'key_1'",
      "UPDATE users SET scopes = 'x:read' WHERE id = 'usr_1'",
      "UPDATE sessions SET revoke_time = 2 WHERE id = 'ses_1'",
      "UPDATE signing_keys SET state = 'retired' WHERE kid = 'kid_1'",
      "INSERT INTO revoked_tokens VALUES ('a', 1, 0)",
      "INSERT INTO revoked_tokens VALUES ('b', 1, 0)",
    ];
    const open_ = await Promise.all(statements.map(begin));

    for (const [i, one] of open_.entries()) await one.query(statements[i] ?? '');

    for (const one of open_.reverse()) await one.commit();
  });

  it('are deleted only if they were committed ten minutes ago', async () => {
    const { db, begin } = await open();
    let now = 0;
    const trim = createChangesTrim({ db, monotonicNow: () => now });
    const round = () => trim(new AbortController().signal);
    const ids = async () => {
      const rows = db.selectFrom('changes').select(['entity', 'entity_id']).orderBy('id');
      return (await rows.execute()).map((row) =>
        row.entity === 'deletion' ? row.entity : row.entity_id,
      );
    };
    await changeEntity(db, 'old');
    const long = await begin();
    await long.revoke('long');
    await changeEntity(db, 'after long');
    await waitForEarlierTransactions(db, 'old');
    await round();
    now += 600_000;
    await round();
    expect(await ids()).toEqual(['after long', 'deletion']);

    await long.commit();
    await waitForEarlierTransactions(db);
    now += 599_999;
    await round();
    expect(await ids()).toContain('long');
    now += 2;
    await round();
    now += 600_000;
    await round();
    // The note of the last deletion stays.
    expect(await ids()).toEqual(['deletion']);
    now += 600_000;
    await round();
    expect(await ids()).toEqual(['deletion']);
  });

  it('are ignored if they come from another server, whose ids are higher', async () => {
    const { db, heard, poll } = await open();
    // A dump of another server, restored here, contains such rows.
    await sql`insert into changes (xact_id, entity, entity_id)
      values (1e12, 'client', 'theirs'), (1e12, 'deletion', '1000000000000')
    `.execute(db.withoutPlugins());

    await poll();
    await poll();

    expect(heard).toEqual([]);
  });
});
