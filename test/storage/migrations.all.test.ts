// Migrations when a database is opened.
import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrateDatabase, openDatabase } from '../../src/storage/database.ts';
import { schemaMigrations } from '../../src/storage/migrate.ts';
import {
  freshDatabaseUrl,
  migratedDatabaseUrl,
  migrateWith,
  openUntilFinished,
  openWithFirstRelease,
  withRawDatabase,
} from '../support/databases.ts';
import { countWaiting } from '../support/lock-waits.ts';
import { describeDialects } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';

const tableNames = async (db: Kysely<unknown>) =>
  (await db.introspection.getTables()).map(({ name }) => name);

/** The migrations after those of release 0.1. */
const later = Object.keys(schemaMigrations).slice(1);
const latest = later.at(-1) ?? '';

/** Records a migration of a newer version. */
async function recordLater(url: string, oldestSupported: string | null): Promise<void> {
  const insert = sql`
    insert into schema_migrations (name, timestamp, oldest_supported)
    values ('9999-later', '2030-01-01T00:00:00.000Z', ${oldestSupported})
  `;
  await withRawDatabase(url, (db) => insert.execute(db));
}

const raiseLockTimeout = "do $$ begin raise exception 'locked' using errcode = '55P03'; end $$";

describeDialects('opening a database', (dialect) => {
  it('changes nothing if a migration fails, and succeeds later', async () => {
    const url = await freshDatabaseUrl(dialect);
    // The last migration but one creates it, after most of the others.
    const obstacle = 'gate_codes';
    await withRawDatabase(url, (db) =>
      db.schema.createTable(obstacle).addColumn('id', 'text').execute(),
    );

    await expect(openDatabase(url)).rejects.toThrow(/exists/);

    await withRawDatabase(url, async (db) => {
      expect(await tableNames(db)).toEqual([obstacle]);
      await db.schema.dropTable(obstacle).execute();
    });
    const db = await openUntilFinished(url);
    expect(await db.selectFrom('clients').selectAll().execute()).toEqual([]);
  });

  it('succeeds on a newer schema that supports this version', async () => {
    const url = await migratedDatabaseUrl(dialect);
    await recordLater(url, latest);

    const db = await openUntilFinished(url);

    expect(await db.selectFrom('clients').selectAll().execute()).toEqual([]);
    expect(await migrateDatabase(url, {})).toEqual({ applied: [], unknown: ['9999-later'] });
  });

  itHoldsFor(['9998-before', null])(
    'refuses a newer schema that does not support this version',
    async (oldestSupported) => {
      const url = await migratedDatabaseUrl(dialect);
      await recordLater(url, oldestSupported);

      await expect(openDatabase(url)).rejects.toThrow(
        'The database has migrations that this version does not know: 9999-later. ' +
          'This version cannot run on them.',
      );
    },
  );

  it('refuses the database of an earlier checkout', async () => {
    const url = await freshDatabaseUrl(dialect);
    await openDatabase(url).then((db) => db.destroy());
    await withRawDatabase(url, (db) =>
      sql`insert into kysely_migration (name, timestamp) values ('0000-early', '')`.execute(db),
    );

    await expect(openDatabase(url)).rejects.toThrow('does not know: 0000-early.');
  });

  it('refuses a missing migration with LATCHKEY_MIGRATE=off, and changes nothing', async () => {
    const url = await freshDatabaseUrl(dialect);
    const open = () => openDatabase(url, { migrate: 'off' });

    await expect(open()).rejects.toThrow(
      'The database is empty, and LATCHKEY_MIGRATE=off forbids a migration at the start. ' +
        'Run `node dist/src/main.js migrate` first.',
    );
    expect(await withRawDatabase(url, tableNames)).toEqual([]);
    expect(await openWithFirstRelease(url)).toBeUndefined();
    await expect(open()).rejects.toThrow(
      `The database lacks ${later.join(', ')}, and LATCHKEY_MIGRATE=off`,
    );

    expect(await migrateDatabase(url, {})).toEqual({ applied: later, unknown: [] });
    const db = await open();
    await db.destroy();
  });
});

describeDialects('release 0.1', (dialect) => {
  it('starts on a schema that this version has created', async () => {
    const url = await freshDatabaseUrl(dialect);
    await openDatabase(url).then((db) => db.destroy());

    expect(await openWithFirstRelease(url)).toBeUndefined();
  });

  it('starts on its own schema after this version has migrated it', async () => {
    const url = await freshDatabaseUrl(dialect);
    expect(await openWithFirstRelease(url)).toBeUndefined();
    await withRawDatabase(url, (db) =>
      sql`insert into workspaces (id, name, create_time) values ('ws_1', 'kept', 1)`.execute(db),
    );

    const db = await openUntilFinished(url);

    expect(await db.selectFrom('workspaces').select('name').execute()).toEqual([{ name: 'kept' }]);
    expect(await openWithFirstRelease(url)).toBeUndefined();
  });

  it('can create the schema at the same time as this version', async () => {
    const url = await freshDatabaseUrl(dialect);

    const [error, db] = await Promise.all([openWithFirstRelease(url), openUntilFinished(url)]);

    // Release 0.1 repeats a failed attempt.
    expect(error === undefined ? undefined : await openWithFirstRelease(url)).toBeUndefined();
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });

  it('does not start on a schema that no longer supports it', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const contract = { up: async () => {}, oldestSupported: latest };

    const applied = await migrateWith(url, { ...schemaMigrations, '9998-contract': contract });

    expect(applied).toEqual(['9998-contract']);
    expect(String(await openWithFirstRelease(url))).toContain('9998-contract');
    const db = await openUntilFinished(url);
    expect(await db.selectFrom('leases').selectAll().execute()).toEqual([]);
  });
});

it('a migration ends no query that reads its tables in another order', async () => {
  const url = await migratedDatabaseUrl('postgres');
  let hasBegun = false;
  const addColumn = (db: Kysely<unknown>, table: string) =>
    db.schema.alterTable(table).addColumn('later', 'text').execute();
  const change = {
    oldestSupported: '0001-schema',
    async up(db: Kysely<unknown>) {
      await addColumn(db, 'links');
      hasBegun = true;
      // The query waits for the migration first, so PostgreSQL would end the query.
      await sql`select pg_sleep(0.5)`.execute(db);
      await addColumn(db, 'documents');
    },
  };
  const db = await openUntilFinished(url);

  const { applied } = await db.transaction().execute(async (trx) => {
    await trx.selectFrom('documents').select('id').execute();
    const applied = migrateWith(url, { ...schemaMigrations, '9998-change': change });
    await expect.poll(async () => hasBegun || (await countWaiting(db)) > 0).toBe(true);
    await trx.selectFrom('links').select('id').execute();
    return { applied };
  });

  expect(await applied).toEqual(['9998-change']);
});

it('a start waits for the migration of another process longer than for a query', async () => {
  const url = await freshDatabaseUrl('postgres');
  let begun = () => {};
  const migrating = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const slow = {
    ...schemaMigrations,
    '0002-scale-out': {
      oldestSupported: '0001-schema',
      async up(db: Kysely<unknown>) {
        begun();
        await sql`select pg_sleep(2.5)`.execute(db);
        await schemaMigrations['0002-scale-out']?.up(db);
      },
    },
  };
  const migrated = migrateWith(url, slow);
  await migrating;

  const db = await openDatabase(url, { databaseQuerySeconds: 1 });
  await db.destroy();

  expect(await migrated).toEqual(['0001-schema', ...later]);
});

it('a migration blocks queries for a few seconds, even during a long transaction', async () => {
  const url = await freshDatabaseUrl('postgres');
  await openWithFirstRelease(url);

  const migrated = await withRawDatabase(url, async (db) => {
    // A backup or pg_dump reads in the same way.
    const reading = await db.startTransaction().execute();
    await sql`select id from documents`.execute(reading);
    const migrating = migrateDatabase(url, {});
    await expect.poll(() => countWaiting(db), { interval: 5 }).toBe(1);
    try {
      await db.transaction().execute(async (trx) => {
        // The service waits for 10 seconds.
        await sql`set local statement_timeout = '9s'`.execute(trx);
        await sql`delete from clients`.execute(trx);
        await sql`delete from documents`.execute(trx);
      });
    } finally {
      await reading.commit().execute();
    }
    return migrating;
  });

  expect(migrated.applied).toContain('0002-scale-out');
});

it('a migration whose tables are locked is repeated without a limit of attempts', async () => {
  const url = await freshDatabaseUrl('postgres');
  let attempts = 0;
  const locked = {
    ...schemaMigrations,
    '0002-scale-out': {
      oldestSupported: '0001-schema',
      async up(db: Kysely<unknown>) {
        attempts += 1;
        if (attempts <= 10) await sql.raw(raiseLockTimeout).execute(db);
        await schemaMigrations['0002-scale-out']?.up(db);
      },
    },
  };

  const applied = await migrateWith(url, locked);

  expect([attempts, applied]).toEqual([11, Object.keys(schemaMigrations)]);
});

it('a migration leaves no lock and no setting in its session', async () => {
  const url = await freshDatabaseUrl('postgres');
  await openUntilFinished(url);

  await withRawDatabase(url, async (db) => {
    const { rows } = await sql`
      select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where locktype = 'advisory' and datname = current_database()
    `.execute(db);
    expect(rows).toEqual([]);
  });
});
