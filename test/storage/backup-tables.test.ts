import { expect, test } from 'vitest';
import { tableHandling } from '../../src/backup/tables.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

describeDialects('a backup', (dialect) => {
  test('names each table of the schema as backed up or omitted', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const tables = (await db.introspection.getTables()).map(({ name }) => name);
    // The migrations of the target create the records of migrations.
    const records = ['schema_migrations'];
    expect(Object.keys(tableHandling).sort()).toEqual(
      tables.filter((name) => !records.includes(name)).sort(),
    );
  });

  test('knows the primary key of each table', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const columns = new Map(
      (await db.introspection.getTables()).map((table) => [
        table.name,
        new Map(table.columns.map((column) => [column.name, column.isNullable])),
      ]),
    );
    for (const [name, handling] of Object.entries(tableHandling)) {
      if ('omitted' in handling) continue;
      for (const column of handling.key) expect(columns.get(name)?.has(column)).toBe(true);
    }
  });
});
