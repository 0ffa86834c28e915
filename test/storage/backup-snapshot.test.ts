// The transaction in which a backup reads all rows.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readSnapshot } from '../../src/backup/store.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';

it('a migration cannot change a table that a backup has not read yet', async () => {
  const url = await freshDatabaseUrl('postgres');
  const db = await openUntilFinished(url);
  const other = await openUntilFinished(url);

  const altered = await readSnapshot(db, () =>
    other.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = '100ms'`.execute(trx);
      return sql`alter table views add column later text`.execute(trx).catch((error) => error);
    }),
  );

  expect(altered).toMatchObject({ code: '55P03' });
});
