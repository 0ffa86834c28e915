// A process of release 0.1 in a rolling upgrade: it reads counters, and this release reads changes.
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { openRevocations } from '../../src/identity/tokens/revocations.ts';
import { insertRevokedToken } from '../../src/identity/tokens/store.ts';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { openDatabase, transact } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';
import { startChangesUpkeep } from '../../src/storage/upkeep/changes-upkeep.ts';
import { startLeases } from '../../src/storage/upkeep/leases.ts';
import { startPeriodicTask } from '../../src/storage/upkeep/periodic-task.ts';
import { createAnnouncement, unannouncedRevision } from '../../src/storage/upkeep/release-0-1.ts';
import { fillCachedTables } from '../support/cached-rows.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const unannounced = (jti: string) => ({ jti, expire_time: 5, revision: unannouncedRevision });

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
    const { announce, announceAll } = createAnnouncement(db, invalidations);
    // The old process has read higher revisions than that of a new revocation.
    for (let i = 0; i < 2; i++) await announceAll();
    await old.poll();
    await old.readNewRevocations();
    return { url, db, old, announce, heard };
  }

  itHoldsFor([
    ['access', "update clients set disable_time = 2 where id = 'cli_1'"],
    ['access', "delete from members where user_id = 'usr_1'"],
    ['signing_keys', "update signing_keys set state = 'retired' where kid = 'kid_1'"],
    ['revoked_tokens', "insert into revoked_tokens values ('new', 5, 1)"],
  ])('a change moves its counter', async (topic, statement) => {
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
      await transact(db, (trx) => insertRevokedToken(trx, unannounced(jti)));
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
    await transact(db, (trx) => insertRevokedToken(trx, unannounced('a')));
    expect(heard).toEqual(['a']);
    await db.schema.alterTable('revisions').renameTo('away').execute();
    await expect(announce()).rejects.toThrow();
    await db.schema.alterTable('away').renameTo('revisions').execute();

    await announce();

    expect(await old.readNewRevocations()).toEqual(['a']);
  });

  it('a process that takes over announces what the previous one may have missed', async () => {
    const { db, old } = await open();
    await transact(db, (trx) => insertRevokedToken(trx, unannounced('a')));
    const successor = await watchInvalidations(db);
    onTestFinished(() => successor.stop());

    await createAnnouncement(db, successor).announce();

    expect(await old.readNewRevocations()).toEqual(['a']);
    expect(await old.poll()).toEqual(['access', 'revoked_tokens', 'signing_keys']);
  });

  /** Starts the tasks of a process. `kill` ends its connections, so that its leases stay. */
  async function startProcess(url: string) {
    const db = await openDatabase(url);
    const invalidations = await watchInvalidations(db);
    const onError = () => {};
    const leases = startLeases({ db, onError });
    const upkeep = startChangesUpkeep({ db, invalidations, leases, announces: true, onError });
    const kill = () => db.destroy();
    onTestFinished(async () => {
      await Promise.all([upkeep.stop(), invalidations.stop(), leases.stop()]);
      await kill();
    });
    return { db, stop: upkeep.stop, kill };
  }

  it('it learns of each revocation within a second after another process was killed', async () => {
    const { url, db, old } = await open();
    const first = await startProcess(url);
    await expect.poll(() => old.poll()).not.toEqual([]);
    const second = await startProcess(url);
    await first.kill();

    await transact(second.db, (trx) => insertRevokedToken(trx, unannounced('a')));

    await expectWithinOneSecond(db, () => old.readNewRevocations(), ['a']);
  });

  it('a process that stops announces the changes that it has not yet read', async () => {
    const { url, db, old } = await open();
    const { stop } = await startProcess(url);
    await expect.poll(() => old.poll()).not.toEqual([]);

    await insertRevokedToken(db.withoutPlugins(), unannounced('a'));
    await stop();

    expect(await old.readNewRevocations()).toEqual(['a']);
  });

  it('a process that starts after a kill reads the revocation that was not announced', async () => {
    const { db } = await open();
    const invalidations = await watchInvalidations(db);
    onTestFinished(() => invalidations.stop());
    const masterKey = createMasterKey(Buffer.alloc(32));
    const revocations = openRevocations({ db, invalidations, masterKey, now: Date.now });

    await revocations.revoke('a', Date.now() / 1000 + 300, (work) => transact(db, work));

    expect(await openRelease01(db).readNewRevocations()).toContain('a');
  });
});
