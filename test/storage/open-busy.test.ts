import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openSqliteFile } from '../../src/storage/drivers/sqlite-library.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';

it('opens a new SQLite file while another connection has a lock on it', async () => {
  const url = await freshDatabaseUrl('sqlite');
  const other = openSqliteFile(url.slice('sqlite:'.length));
  // The file has no WAL yet, as when two processes create it at the same time.
  other.exec('begin exclusive');

  const opening = openUntilFinished(url);
  await sleep(100);
  other.exec('commit');
  other.close();

  const db = await opening;
  expect(await db.selectFrom('workspaces').selectAll().execute()).toEqual([]);
});
