// A crash of PostgreSQL: it recovers without a restart of its main process, and reuses transaction
// ids that were not yet on the disk.

import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { pollChanges } from '../../src/storage/changes/poll-changes.ts';
import type { Changes } from '../../src/storage/schema/change.ts';
import { changeEntity } from '../support/changes.ts';
import { openUntilFinished } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';

const patience = { timeout: 60_000 };

/** A connection whose loss does not end the test. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

async function readNumber(client: pg.Client, expression: string): Promise<number> {
  const { rows } = await client.query(`select (${expression})::text as value`);
  return Number(rows[0].value);
}

it('a change is noticed if its transaction has an id that was in use before a crash', async () => {
  // Otherwise, the background writer could write the ids to the disk.
  const postgres = await startPostgres({ settings: ['bgwriter_lru_maxpages=0'] });
  onTestFinished(() => postgres.stop());
  const url = await postgres.createDatabase();
  const db = await openUntilFinished(url);
  const source = pollChanges(db);
  const delivered: Changes[] = [];
  await source.start(({ changes }) => void delivered.push(changes));
  await source.stop();
  await changeEntity(db, 'before');

  const crashing = await connect(url);
  // Without this process, PostgreSQL writes the ids to the disk only with the next commit.
  const writer = "select pid from pg_stat_activity where backend_type = 'walwriter'";
  const pid = await readNumber(crashing, writer);
  process.kill(pid, 'SIGSTOP');
  await useUpIds(crashing, 1_000);
  await source.refresh();
  const lastId = await readNumber(crashing, 'pg_snapshot_xmax(pg_current_snapshot())');
  // PostgreSQL then ends all its processes.
  process.kill(pid, 'SIGKILL');
  // A commit before that would write the ids to the disk.
  const writerPid = async () => readNumber(await connect(url), writer);
  await expect.poll(() => writerPid().catch(() => pid), patience).not.toBe(pid);
  const change = () => changeEntity(db, 'after').then(() => 'changed', String);
  await expect.poll(change, patience).toBe('changed');
  const other = await connect(url);
  const idAfter = "(select min(xact_id) from changes where entity_id = 'after')";
  expect(await readNumber(other, idAfter)).toBeLessThan(lastId);
  await useUpIds(other, 2_000);
  delivered.length = 0;
  await source.refresh();

  expect(delivered).toMatchObject([{ isComplete: false }]);
}, 90_000);

/** Assigns ids to subtransactions of a transaction that stays open. */
async function useUpIds(client: pg.Client, count: number): Promise<void> {
  await client.query('create temporary table t (i int)');
  await client.query('begin');
  await client.query(`do $$ begin
    for i in 1..${count} loop
      begin insert into t values (i); raise exception 'undone';
      exception when raise_exception then end;
    end loop;
  end $$`);
}
