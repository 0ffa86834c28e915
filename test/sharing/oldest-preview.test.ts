// The age of the queue of previews, for its metric.
import { expect, it } from 'vitest';
import { findOldestQueued } from '../../src/sharing/previews/store.ts';
import { describeApp } from '../support/app-suite.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import { upload } from '../support/sharing-api.ts';

describeApp('the queue of previews', (suite) => {
  it('is as old as its oldest file that waits', async () => {
    const { db } = suite.app.inside;
    expect(await findOldestQueued(db)).toBeUndefined();
    const times = [3_000, 1_000, 2_000];
    const states = ['pending', 'ready', 'pending'] as const;
    for (const [i, create_time] of times.entries()) {
      const { id: document_id } = await upload(suite.testApp, Buffer.from('bytes'));
      await changeAsOtherProcess(db, async (trx) => {
        await trx
          .updateTable('document_versions')
          .set({ create_time })
          .where('document_id', '=', document_id)
          .execute();
        const row = { document_id, version: 1, workspace_id: 'ws_1', due_time: 9_000 };
        await trx
          .insertInto('previews')
          .values({ ...row, state: states[i] ?? 'pending' })
          .execute();
      });
    }
    expect(await findOldestQueued(db)).toBe(2_000);
  });
});
