// A process of release 0.1 in a rolling upgrade: it reads counters, and this release reads changes.
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { insertRevokedToken } from '../../src/identity/tokens/store.ts';
import { transact } from '../../src/storage/database.ts';
import { watchInvalidations } from '../../src/storage/invalidation.ts';
import { startPeriodicTask } from '../../src/storage/periodic-task.ts';
import { createAnnouncement } from '../../src/storage/release-0-1.ts';
import type { Database, Executor } from '../../src/storage/schema.ts';
import { fillCachedTables } from '../support/cached-rows.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/harness.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

type Topic = 'access' | 'signing_keys' | 'revoked_tokens';

/** The queries of a process of release 0.1. */
function openRelease01(db: Database) {
  const known = new Map<string, number>();
  let revision = 0;
  return {
    /** Returns the topics that have changed since the last call. */
    async poll(): Promise<string[]> {
      const rows = await db.selectFrom('revisions').select(['name', 'value']).execute();
      const changed = rows.filter(({ name, value }) => known.get(name) !== value);
      for (const { name, value } of rows) known.set(name, value);
      return changed.map(({ name }) => name).sort();
    },
    /** Returns the tokens that were revoked since the last call. */
    async readNewRevocations(): Promise<string[]> {
      const rows = await db
        .selectFrom('revoked_tokens')
        .selectAll()
        .where('revision', '>', revision)
        .orderBy('revision')
        .execute();
      for (const row of rows) revision = Math.max(revision, row.revision);
      return rows.map(({ jti }) => jti);
    },
    async change(topic: Topic, work: (trx: Executor, revision: number) => Promise<unknown>) {
      await db.transaction().execute(async (trx) => {
        const { value } = await trx
          .updateTable('revisions')
          .set((eb) => ({ value: eb('value', '+', 1) }))
          .where('name', '=', topic)
          .returning('value')
          .executeTakeFirstOrThrow();
        await work(trx, value);
      });
    },
  };
}

describeDialects('next to a process of release 0.1', (dialect) => {
  async function open() {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    await transact(db, fillCachedTables);
    const old = openRelease01((await openUntilFinished(url)).withoutPlugins());
    const invalidations = await watchInvalidations(db);
    onTestFinished(() => invalidations.stop());
    const heard: string[] = [];
    invalidations.onEviction(({ list }) => {
      heard.push(...list.map(({ entityId }) => entityId));
    });
    const announce = createAnnouncement(db, invalidations);
    await announce();
    await old.poll();
    await old.readNewRevocations();
    return { url, db, old, announce, heard };
  }

  it.each([
    ['access', "update clients set disable_time = 2 where id = 'cli_1'"],
    ['access', "delete from members where user_id = 'usr_1'"],
    ['signing_keys', "update signing_keys set state = 'retired' where kid = 'kid_1'"],
    ['revoked_tokens', "insert into revoked_tokens values ('new', 5, 0)"],
  ])('a change moves its counter of %s (%s)', async (topic, statement) => {
    const { db, old, announce, heard } = await open();

    await sql.raw(statement).execute(db.withoutPlugins());
    await expect.poll(() => heard).toHaveLength(1);
    await announce();

    expect(await old.poll()).toEqual([topic]);
    await announce();
    expect(await old.poll()).toEqual([]);
  });

  it('it learns of each revocation within a second, and of each one once', async () => {
    const { db, old, announce } = await open();
    const onError = () => {};
    const task = startPeriodicTask({ pauseMs: 250, round: announce, onError });
    onTestFinished(() => task.stop());

    for (const jti of ['a', 'b']) {
      const row = { jti, expire_time: 5, revision: 0 };
      await transact(db, (trx) => insertRevokedToken(trx, row));
      await expectWithinOneSecond(db, () => old.readNewRevocations(), [jti]);
    }
    expect(await old.readNewRevocations()).toEqual([]);
  });

  it('its own changes reach this release', async () => {
    const { db, old, heard } = await open();

    await old.change('access', (trx) =>
      trx.updateTable('clients').set({ scopes: '' }).where('id', '=', 'cli_1').execute(),
    );
    await old.change('revoked_tokens', (trx, revision) =>
      insertRevokedToken(trx, { jti: 'theirs', expire_time: 5, revision }),
    );

    await expectWithinOneSecond(db, () => heard, ['cli_1', 'theirs']);
  });

  it('a revocation is announced again if the announcement failed', async () => {
    const { db, old, announce, heard } = await open();
    await transact(db, (trx) => insertRevokedToken(trx, { jti: 'a', expire_time: 5, revision: 0 }));
    expect(heard).toEqual(['a']);
    await db.schema.alterTable('revisions').renameTo('away').execute();
    await expect(announce()).rejects.toThrow();
    await db.schema.alterTable('away').renameTo('revisions').execute();

    await announce();

    expect(await old.readNewRevocations()).toEqual(['a']);
  });

  it('a process that takes over announces what the previous one may have missed', async () => {
    const { db, old } = await open();
    await transact(db, (trx) => insertRevokedToken(trx, { jti: 'a', expire_time: 5, revision: 0 }));
    const successor = await watchInvalidations(db);
    onTestFinished(() => successor.stop());

    await createAnnouncement(db, successor)();

    expect(await old.readNewRevocations()).toEqual(['a']);
    expect(await old.poll()).toEqual(['access', 'revoked_tokens', 'signing_keys']);
  });
});
