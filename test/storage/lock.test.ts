// Row locks run one transaction at a time, and return the rows as they are once locked.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { insertClient, updateClient } from '../../src/identity/clients/store.ts';
import { transact } from '../../src/storage/database.ts';
import { insertOrLockRows, lockRow, lockRows } from '../../src/storage/queries/row-locks.ts';
import type { Executor } from '../../src/storage/schema/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

const client = {
  ...{ id: 'cli_1', name: '0', scopes: '', create_time: 1, disable_time: null },
  ...{ tls_client_auth_san_uri: null, tls_client_auth_san_dns: null, audience_ids: null },
  ...{ claims: null, token_seconds: null, default_scopes: null },
  ...{ bound_tokens: null, may_act: null, creator_id: null },
};

describeDialects('a row lock', (dialect) => {
  async function open() {
    const url = await migratedDatabaseUrl(dialect);
    const [here, there] = [await openUntilFinished(url), await openUntilFinished(url)];
    await transact(here, (trx) => insertClient(trx, client));
    return { here, there };
  }

  /** A value that changes with every write: of the transaction, or of the row. */
  async function readVersion(trx: Executor): Promise<unknown> {
    const query =
      dialect === 'sqlite'
        ? sql`select total_changes() as version`
        : sql`select ctid as version from clients`;
    return (await query.execute(trx)).rows;
  }

  it('returns the rows that exist, unchanged', async () => {
    const { here } = await open();
    await transact(here, async (trx) => {
      const stored = await trx.selectFrom('clients').selectAll().executeTakeFirst();
      expect(stored).toMatchObject(client);
      expect(await lockRow(trx, 'clients', 'id', 'cli_1')).toEqual(stored);
      expect(await lockRow(trx, 'clients', 'id', 'cli_2')).toBeUndefined();
      expect(await lockRows(trx, 'clients', 'id', ['cli_1', 'cli_2'])).toEqual([stored]);
      expect(await lockRows(trx, 'clients', 'id', [])).toEqual([]);
    });
  });

  it('writes nothing, however many rows refer to the locked row', async () => {
    const { here } = await open();
    await transact(here, async (trx) => {
      const before = await readVersion(trx);
      await lockRow(trx, 'clients', 'id', 'cli_1');
      expect(await readVersion(trx)).toEqual(before);
    });
  });

  it('makes other transactions wait: concurrent increments are not lost', async () => {
    const { here, there } = await open();
    const increment = async (trx: Executor) => {
      const row = await lockRow(trx, 'clients', 'id', 'cli_1');
      await updateClient(trx, 'cli_1', { name: String(Number(row?.name) + 1) });
    };

    const all = Array.from({ length: 20 }, (_, i) => transact(i % 2 ? here : there, increment));
    await Promise.all(all);

    const read = here.selectFrom('clients').select('name');
    expect(await read.executeTakeFirst()).toEqual({ name: '20' });
  });

  it('inserts the rows that do not exist, and keeps existing ones', async () => {
    const { here } = await open();
    const lock = (...rows: { id: string; create_time: number }[]) =>
      transact(here, (trx) => insertOrLockRows(trx, 'accounts', 'id', rows));
    const [a, b] = [
      { id: 'a', create_time: 1 },
      { id: 'b', create_time: 2 },
    ];
    expect(await lock(a)).toEqual([a]);
    expect(await lock({ ...a, create_time: 9 }, b)).toEqual([a, b]);
  });
});
