// The files that a crash of release 0.1 left in a folder of blobs.
import { link, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { settleOldNotes } from '../../src/sharing/blobs/release-0-1.ts';
import { insertExpiredBlob } from '../../src/sharing/queries/expired-blobs.ts';
import { transact } from '../../src/storage/database.ts';
import { describeFeature } from '../support/matrix.ts';
import { blobFileOf, openBlobFolder } from '../support/pending-blobs.ts';

const hourMs = 3_600_000;

describeFeature('a note of release 0.1', (dialect) => {
  it('is settled by a sweep once it is a day old', async () => {
    const { db, root, open, store, state } = await openBlobFolder(dialect);
    const staged = await open();
    const stored = await store(staged);
    for (const folder of ['pending', 'le', 'leases']) await mkdir(path.join(root, folder));
    const note = (id: string) => path.join(root, 'pending', `owner.${id}`);
    await writeFile(note('left'), 'The terms.');
    await link(note('left'), path.join(root, blobFileOf('left')));
    await link(path.join(root, blobFileOf(stored)), note(stored));
    await writeFile(note('partial'), 'The te');
    await writeFile(path.join(root, 'leases/owner'), '');
    const before = await state();

    await settleOldNotes({ db, root, now: () => Date.now() + 23 * hourMs });
    await staged.sweep();
    expect(await state()).toEqual(before);

    await settleOldNotes({ db, root, now: () => Date.now() + 25 * hourMs });
    await staged.sweep();
    expect(await state()).toEqual({ files: [blobFileOf(stored)], rows: [] });
  });

  it('does not prevent the deletion of its document', async () => {
    const { db, open, store, remove, state } = await openBlobFolder(dialect);
    const staged = await open();
    const id = await store(staged);
    await transact(db, (trx) => insertExpiredBlob(trx, id));

    await remove(staged, id);

    await expect.poll(state).toEqual({ files: [], rows: [] });
  });
});
