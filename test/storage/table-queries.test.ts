import { expect, it } from 'vitest';
import {
  deleteBy,
  findBy,
  insertInto,
  insertUnlessTaken,
  updateBy,
} from '../../src/storage/queries/table-queries.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

const insert = insertInto('usage_counts');
const insertNew = insertUnlessTaken('usage_counts', 'key');
const find = findBy('usage_counts', 'key');
const findOfDay = findBy('usage_counts', 'subject_id', 'day');
const update = updateBy('usage_counts', 'key');
const remove = deleteBy('usage_counts', 'subject_id', 'day');

const rowOf = (subject_id: string, day: number) => ({
  ...{ key: `${subject_id} ${day}`, subject_id, day },
  ...{ outcome: 'issued', count: 1 },
});

describeDialects('the queries of one table', (dialect) => {
  it('match all their columns, and leave other rows', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const [first, second, other] = [rowOf('cli_1', 1), rowOf('cli_1', 2), rowOf('cli_2', 1)];
    for (const row of [first, second, other]) await insert(db, row);
    expect(await find(db, second.key)).toEqual(second);
    expect(await findOfDay(db, 'cli_1', 2)).toEqual(second);
    expect(await findOfDay(db, 'cli_2', 2)).toBeUndefined();

    await update(db, first.key, { count: 5 });
    await update(db, first.key, {});
    expect(await find(db, first.key)).toEqual({ ...first, count: 5 });
    expect(await find(db, other.key)).toEqual(other);

    // A value that is missing in spite of its type matches no row.
    await remove(db, 'cli_1', undefined as never).catch(() => {});
    expect(await findOfDay(db, 'cli_1', 2)).toEqual(second);
    expect(await remove(db, 'cli_1', 2)).toBe(true);
    expect(await remove(db, 'cli_1', 2)).toBe(false);
    expect(await findOfDay(db, 'cli_1', 2)).toBeUndefined();
    expect(await findOfDay(db, 'cli_1', 1)).toEqual({ ...first, count: 5 });
    expect(await find(db, other.key)).toEqual(other);
  });

  it('insert a row unless another one has the value, and say which', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const row = rowOf('cli_1', 1);
    expect(await insertNew(db, row)).toBe(true);
    expect(await insertNew(db, { ...row, count: 7 })).toBe(false);
    expect(await find(db, row.key)).toEqual(row);
  });
});
