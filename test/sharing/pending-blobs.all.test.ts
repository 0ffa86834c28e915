// Several processes on one store: only the rows in the database show which blobs are settled.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fail } from '../../src/base/errors/errors.ts';
import { UnconfirmedCommit } from '../../src/storage/database.ts';
import { startLeases } from '../../src/storage/upkeep/leases.ts';
import { describeDialects } from '../support/matrix.ts';
import { blobFileOf, expirePendingBlobs, openBlobFolder, terms } from '../support/pending-blobs.ts';

const nothing = { files: [], rows: [] };

describeDialects('a blob without a document', (dialect) => {
  let folder: Awaited<ReturnType<typeof openBlobFolder>>;

  beforeEach(async () => {
    folder = await openBlobFolder(dialect);
  });

  const open = (leaseMs?: number) => folder.open(leaseMs);
  const state = () => folder.state();
  const expire = () => expirePendingBlobs(folder.db);

  async function expireTimeOf(id: string): Promise<number> {
    const { expire_time } = await folder.db
      .selectFrom('pending_blobs')
      .select('expire_time')
      .where('blob_id', '=', id)
      .executeTakeFirstOrThrow();
    return expire_time;
  }

  it('has a row before its first byte', async () => {
    const staged = await open();
    let before: unknown;
    async function* watching() {
      before = await state();
      yield Buffer.from('The terms.');
    }

    const { id } = await staged.write(watching());

    expect(before).toMatchObject({ rows: [id] });
  });

  it('has no row once its document exists', async () => {
    const id = await folder.store(await open());

    expect(await state()).toEqual({ files: [blobFileOf(id)], rows: [] });
  });

  it('is removed with its row when its upload fails or is discarded', async () => {
    const staged = await open();
    async function* failing() {
      yield Buffer.from('The te');
      throw new Error('cut');
    }

    await expect(staged.write(failing())).rejects.toThrow('cut');
    await expect.poll(state).toEqual(nothing);

    const blob = await staged.write(terms());
    await blob.discard();
    await expect.poll(state).toEqual(nothing);

    const refused = await staged.write(terms());
    const commit = refused.commit(() => Promise.reject(new Error('refused')));
    await expect(commit).rejects.toThrow('refused');
    await expect.poll(state).toEqual(nothing);
  });

  it('is removed by a sweep if the store failed, which can complete the write later', async () => {
    const failed: string[] = [];
    let completeLater = async () => {};
    const staged = await folder.open(120_000, (blobs) => ({
      ...blobs,
      async write(id) {
        failed.push(id);
        completeLater = () => blobs.write(id, terms());
        throw fail('unavailable', 'The document store is unreachable.');
      },
    }));

    await expect(staged.write(terms())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await state()).toEqual({ files: [], rows: failed });
    await completeLater();
    await staged.sweep();
    expect(await state()).toMatchObject({ rows: failed });

    await expire();
    await staged.sweep();

    expect(await state()).toEqual(nothing);
  });

  it('is removed by a sweep if the store does not answer, which delays no caller', async () => {
    let isAway = false;
    const staged = await folder.open(120_000, (blobs) => ({
      ...blobs,
      async write(id, source) {
        if (isAway) throw fail('unavailable', 'The document store is unreachable.');
        await blobs.write(id, source);
      },
      remove: () => new Promise(() => {}),
    }));
    const deleted = await folder.store(staged);
    const discarded = await staged.write(terms());
    const refused = await staged.write(terms());
    isAway = true;

    await expect(staged.write(terms())).rejects.toMatchObject({ code: 'unavailable' });
    await folder.remove(staged, deleted);
    await discarded.discard();
    const commit = refused.commit(() => Promise.reject(new Error('refused')));
    await expect(commit).rejects.toThrow('refused');
    const left = await state();
    expect([left.files.length, left.rows.length]).toEqual([3, 4]);

    await expire();
    await (await open()).sweep();

    expect(await state()).toEqual(nothing);
  });

  it('is left to a sweep if the COMMIT of its document is unconfirmed', async () => {
    const staged = await open();
    const lose = () => Promise.reject(new UnconfirmedCommit(undefined));
    const lost = await staged.write(terms());
    await expect(lost.commit(lose)).rejects.toThrow(UnconfirmedCommit);
    const committed = await staged.write(terms());
    const commit = committed.commit(async () => {
      await folder.insert(committed.id, async () => {});
      return lose();
    });
    await expect(commit).rejects.toThrow(UnconfirmedCommit);
    expect((await state()).files).toHaveLength(2);

    await expire();
    await staged.sweep();

    expect(await state()).toEqual({ files: [blobFileOf(committed.id)], rows: [] });
  });

  describe('in a sweep', () => {
    it('stays while its lease lasts', async () => {
      const { id } = await (await open()).write(terms());

      await (await open()).sweep();

      expect(await state()).toEqual({ files: [blobFileOf(id)], rows: [id] });
    });

    it('stays while its process renews the lease', async () => {
      const { id } = await (await open(100)).write(terms());
      const first = await expireTimeOf(id);

      await expect.poll(() => expireTimeOf(id)).toBeGreaterThan(first);
    });

    it('is removed once its lease has expired', async () => {
      await (await open()).write(terms());
      await expire();

      await (await open()).sweep();

      expect(await state()).toEqual(nothing);
    });

    it('of the process that writes it stays, even if that process was suspended', async () => {
      const staged = await open();
      const { id } = await staged.write(terms());
      await expire();

      await staged.sweep();

      expect(await state()).toEqual({ files: [blobFileOf(id)], rows: [id] });
    });

    it('is removed if it was written before the clock was set back', async () => {
      await (await open()).write(terms());
      const yearMs = 365 * 86_400_000;
      const expire_time = Date.now() + yearMs;
      await folder.db.updateTable('pending_blobs').set({ expire_time }).execute();

      await (await open()).sweep();

      expect(await state()).toEqual(nothing);
    });

    it('is removed even if there are more than one slice of expired rows', async () => {
      const ids = Array.from({ length: 101 }, (_, i) => `blob_${i}`);
      const rows = ids.map((blob_id) => ({ blob_id, owner: '', expire_time: 0 }));
      await folder.db.insertInto('pending_blobs').values(rows).execute();

      await (await open()).sweep();

      expect(await state()).toEqual(nothing);
    });

    it('can no longer become a document', async () => {
      const blob = await (await open()).write(terms());
      await expire();
      await (await open()).sweep();

      await expect(blob.commit((settle) => folder.insert(blob.id, settle))).rejects.toMatchObject({
        code: 'unavailable',
        message: 'The upload was interrupted.',
      });

      expect(await folder.db.selectFrom('documents').select('id').execute()).toEqual([]);
      expect(await state()).toEqual(nothing);
    });

    it('is settled once by many sweeps at the same time', async () => {
      const staged = await open();
      for (let i = 0; i < 10; i++) await staged.write(terms());
      const kept = await folder.store(staged);
      await expire();
      const sweepers = await Promise.all([open(), open(), open()]);

      await Promise.all(sweepers.map((one) => one.sweep()));

      await expect.poll(state).toEqual({ files: [blobFileOf(kept)], rows: [] });
    });
  });

  describe('after the deletion of its document', () => {
    it('is removed with its row', async () => {
      const staged = await open();
      await folder.remove(staged, await folder.store(staged));

      await expect.poll(state).toEqual(nothing);
    });

    it('is removed by a sweep if the process ended before', async () => {
      const staged = await open();
      const id = await folder.store(staged);
      const crash = () => Promise.reject(new Error('killed'));
      await expect(folder.remove(staged, id, crash)).rejects.toThrow('killed');
      expect(await state()).toEqual({ files: [blobFileOf(id)], rows: [id] });

      await expire();
      await (await open()).sweep();

      expect(await state()).toEqual(nothing);
    });

    it('stays until a running backup has ended', async () => {
      const staged = await open();
      const id = await folder.store(staged);
      const leases = startLeases({ db: folder.db, onError: () => {} });
      onTestFinished(() => leases.stop());
      const backup = await leases.lease('backup').acquire(new AbortController().signal);

      await folder.remove(staged, id);
      await expire();
      await staged.sweep();
      expect(await state()).toEqual({ files: [blobFileOf(id)], rows: [id] });

      await backup?.release();
      await staged.sweep();
      expect(await state()).toEqual(nothing);
    });

    it('is removed if a backup ended before the clock was set back', async () => {
      const staged = await open();
      const id = await folder.store(staged);
      const backup = { name: 'backup', owner: 'another', expire_time: Date.now() + 3_600_000 };
      await folder.db.insertInto('leases').values(backup).execute();

      await folder.remove(staged, id);

      expect(await state()).toEqual(nothing);
    });
  });
});
