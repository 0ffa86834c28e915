// Deletions for good: a resource that cannot be deleted does not hold up the others.
import { expect, it } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import { purgeRule } from '../../src/storage/upkeep/purge.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { addClient } from '../support/owner-rows.ts';

describeDialects('a resource that cannot be deleted', (dialect) => {
  it('is tried again after the others', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const { ownerId: stuck } = await addClient(db, '');
    const { ownerId: other } = await addClient(db, '');
    await transact(db, (trx) => trx.deleteFrom('credentials').execute());
    const end = (id: string, time: number) =>
      transact(db, (trx) =>
        trx.updateTable('clients').set({ delete_time: time }).where('id', '=', id).execute(),
      );
    await end(stuck, 1);
    await end(other, 2);
    let isBroken = true;
    const failing = async (_: unknown, id: string) => {
      if (isBroken && id === stuck) throw new Error('a row still refers to it');
      return 0;
    };
    const recorded: string[] = [];
    const rule = purgeRule(
      { table: 'clients', steps: [failing] },
      { trustedTime: async () => 10, record: async (_, __, id) => void recorded.push(id) },
    );
    const round = async () => {
      const slice = await rule.begin();
      while ((await transact(db, (trx) => slice(trx, 1))) > 0);
    };

    await expect(round()).rejects.toThrow('refers');
    await expect(round()).rejects.toThrow('refers');
    expect(recorded).toEqual([other]);
    isBroken = false;
    await round();
    expect(recorded).toEqual([other, stuck]);
    expect(await db.selectFrom('clients').select('id').execute()).toEqual([]);
  });
});
