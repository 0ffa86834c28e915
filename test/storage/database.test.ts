import { expect, it } from 'vitest';
import { fail } from '../../src/base/errors/errors.ts';
import {
  isForeignKeyViolation,
  openDatabase,
  storageFailureOf,
  transact,
} from '../../src/storage/database.ts';
import type { Executor, Schema } from '../../src/storage/schema/schema.ts';
import { key as signingKey } from '../support/cached-rows.ts';
import { freshDatabaseUrl, migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';

const tables = [
  'accounts',
  'audiences',
  'audit_events',
  'clients',
  'credentials',
  'customer_accounts',
  'customers',
  'documents',
  'links',
  'members',
  'retention_times',
  'revisions',
  'revoked_tokens',
  'sessions',
  'signing_keys',
  'totp_seeds',
  'users',
  'view_pages',
  'views',
  'workspace_usage',
  'workspaces',
] as const satisfies (keyof Schema)[];

const workspace = (id: string) => ({ id, name: id, create_time: 1_795_000_000_123 });
const insert = (trx: Executor, id: string) =>
  trx.insertInto('workspaces').values(workspace(id)).execute();

// Every topic of invalidations has a counter, and the number of audiences a row to lock.
const revisedNames = ['access', 'signing_keys', 'revoked_tokens', 'audiences', 'trusted_issuers'];
const revisions = revisedNames.map((name) => ({
  name,
  value: 0,
}));

describeDialects('a database', (dialect) => {
  it('has every table, empty, once it was opened, and keeps it when opened again', async () => {
    const url = await freshDatabaseUrl(dialect);
    const first = await openDatabase(url);
    for (const table of tables) {
      const rows = await first.selectFrom(table).selectAll().execute();
      expect(rows, table).toEqual(table === 'revisions' ? revisions : []);
    }
    await insert(first, 'ws_kept');
    await first.destroy();

    const second = await openUntilFinished(url);
    const limits = { bytes_max: null, documents_max: null, links_max: null, views_max: null };
    const [kept] = await second.selectFrom('workspaces').selectAll().execute();
    expect(kept).toMatchObject({ ...workspace('ws_kept'), ...limits, factor_grace_days: 0 });
  });

  it('can be opened by several processes at once for the first time', async () => {
    const url = await freshDatabaseUrl(dialect);

    const [first, second] = await Promise.all([openUntilFinished(url), openUntilFinished(url)]);

    await insert(first, 'ws_1');
    expect(await second.selectFrom('workspaces').select('id').execute()).toEqual([{ id: 'ws_1' }]);
  });

  it('has at most one active signing key', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const key = (kid: string, state: 'active' | 'retired') => ({
      ...signingKey,
      kid,
      state,
      alg: 'EdDSA' as const,
      public_x: kid,
    });
    const add = (...rows: ReturnType<typeof key>[]) =>
      transact(db, (trx) => trx.insertInto('signing_keys').values(rows).execute());
    await add(key('a', 'active'));
    await add(key('b', 'retired'), key('c', 'retired'));

    await expect(add(key('d', 'active'))).rejects.toThrow();
  });

  it('has exactly one owner for each credential', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    await insert(db, 'ws_1');
    await db
      .insertInto('customers')
      .values({ id: 'cus_1', name: '', create_time: 1, disable_time: null })
      .execute();
    const credential = (id: string, customer_id: string | null, workspace_id: string | null) => ({
      id,
      client_id: null,
      customer_id,
      workspace_id,
      name: '',
      digest: '',
      scopes: '',
      create_time: 1,
      expire_time: null,
      revoke_time: null,
      last_used_time: null,
    });
    const add = (row: ReturnType<typeof credential>) =>
      db.insertInto('credentials').values(row).execute();

    await add(credential('key_1', 'cus_1', null));
    await add(credential('key_2', null, 'ws_1'));
    await expect(add(credential('key_3', null, null))).rejects.toThrow();
    await expect(add(credential('key_4', 'cus_1', 'ws_1'))).rejects.toThrow();
    const error = await add(credential('key_5', 'cus_none', null)).catch((thrown) => thrown);
    expect(isForeignKeyViolation(error)).toBe(true);
    expect(isForeignKeyViolation(new Error('other'))).toBe(false);
  });

  it('deletes the links and views of a document with it', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    await insert(db, 'ws_1');
    const common = { workspace_id: 'ws_1', name: '', create_time: 1 };
    const document = { content_type: '', size_bytes: 4_294_967_295, sha256: '', page_count: 0 };
    await db
      .insertInto('documents')
      .values({ ...common, ...document, id: 'doc_1', blob_id: 'b' })
      .execute();
    await db
      .insertInto('links')
      .values({
        ...common,
        id: 'lnk_1',
        slug: 's',
        document_id: 'doc_1',
        email_required: 1,
        email_verification_required: 0,
        password_hash: null,
        allow_download: 0,
        gate_revision: 1,
        expire_time: null,
        revoke_time: null,
      })
      .execute();
    const view = { email: '', email_verified: 0, create_time: 1, duration_ms: 0 } as const;
    await db
      .insertInto('views')
      .values({ ...view, id: 'viw_1', link_id: 'lnk_1' })
      .execute();
    await db
      .insertInto('view_pages')
      .values({ view_id: 'viw_1', visit: 'a', page: 1, duration_ms: 5 })
      .execute();
    const { size_bytes } = await db
      .selectFrom('documents')
      .select('size_bytes')
      .executeTakeFirstOrThrow();
    expect(size_bytes).toBe(4_294_967_295);

    await transact(db, async (trx) => {
      await trx.deleteFrom('documents').execute();
    });

    expect(await db.selectFrom('links').select('id').execute()).toEqual([]);
    expect(await db.selectFrom('views').select('id').execute()).toEqual([]);
    expect(await db.selectFrom('view_pages').select('page').execute()).toEqual([]);
  });
});

describeDialects('a transaction', (dialect) => {
  const count = async (db: Executor) =>
    (await db.selectFrom('workspaces').select('id').execute()).length;

  it('commits all writes, and returns the result of the work', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));

    const result = await transact(db, async (trx) => {
      await insert(trx, 'ws_1');
      await insert(trx, 'ws_2');
      return 'done';
    });

    expect(result).toBe('done');
    expect(await count(db)).toBe(2);
  });

  it('rolls back if the work fails, and throws the error of the work', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const thrown = fail('conflict', 'No.');

    await expect(
      transact(db, async (trx) => {
        await insert(trx, 'ws_1');
        throw thrown;
      }),
    ).rejects.toBe(thrown);

    expect(await count(db)).toBe(0);
  });

  itHoldsFor(['40001', '40P01', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT'])(
    'is retried if the database asks for it',
    async (code) => {
      const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
      let attempts = 0;

      await transact(db, async (trx) => {
        await insert(trx, `ws_${++attempts}`);
        if (attempts < 3) throw Object.assign(new Error('again'), { code });
      });

      expect(attempts).toBe(3);
      expect(await db.selectFrom('workspaces').select('id').execute()).toEqual([{ id: 'ws_3' }]);
    },
  );

  it('fails as unavailable if the database keeps asking for a retry', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const busy = Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' });

    await expect(transact(db, () => Promise.reject(busy))).rejects.toMatchObject({
      code: 'unavailable',
      extra: { retryAfterSeconds: 1, cause: busy },
    });
  });

  it('loses no write when another process writes at the same time', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const databases = [await openUntilFinished(url), await openUntilFinished(url)];
    const raise = (trx: Executor) =>
      trx
        .updateTable('revisions')
        .set((eb) => ({ value: eb('value', '+', 1) }))
        .where('name', '=', 'access')
        .execute();

    await Promise.all(
      databases.flatMap((db) => Array.from({ length: 20 }, () => transact(db, raise))),
    );

    const [db] = databases;
    const counter = db?.selectFrom('revisions').select('value').where('name', '=', 'access');
    expect(await counter?.execute()).toEqual([{ value: 40 }]);
  });
});

describeDialects('a failure of the database', (dialect) => {
  it('is rethrown unchanged if the database was reachable', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    await db.schema.dropTable('view_pages').execute();
    const error = await db
      .selectFrom('view_pages')
      .selectAll()
      .execute()
      .catch((thrown) => thrown);

    expect(error).toBeInstanceOf(Error);
    expect(storageFailureOf(error)).toBe(error);
  });

  itHoldsFor([
    ...['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_FULL'],
    ...['SQLITE_IOERR', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_FSYNC'],
    ...['08006', '25006', '40003', '53200', '53300', '57014', '57P01', '57P03', '58030'],
  ])('is unavailable for these codes', (code) => {
    const isPostgres = /^\d/.test(code);
    const fields = { code, ...(isPostgres ? { severity: 'FATAL' } : {}) };
    const error = Object.assign(new Error('away'), fields);
    expect(storageFailureOf(error)).toMatchObject({ code: 'unavailable', extra: { cause: error } });
  });

  itHoldsFor(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])(
    'is not assumed for an error of another connection',
    (code) => {
      const error = Object.assign(new Error('Connection terminated'), { code });
      expect(storageFailureOf(error)).toBe(error);
    },
  );
});
