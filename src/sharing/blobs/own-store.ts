// Uses a store only if it belongs to the database. Nothing is written to or removed from another
// store, and blobs that are missing there do not count as damaged.
import { DamagedBlob, isAbsent } from '../../storage/damaged-blob.ts';
import type { BlobPart, BlobStore, MarkedStore } from './blob-store.ts';
import type { RequireOwn } from './store-id.ts';

export function restrictToOwn(store: MarkedStore, requireOwn: RequireOwn): BlobStore {
  const { presign } = store;
  let validUntil = 0;

  async function compareId(): Promise<void> {
    validUntil = 0;
    const startTime = performance.now();
    await requireOwn(store);
    validUntil = startTime + store.idValidMs;
  }

  async function requireValid(): Promise<void> {
    if (performance.now() >= validUntil) await compareId();
  }

  return {
    async write(id, source) {
      await requireValid();
      await store.write(id, source);
    },
    async *read(id: string, part: BlobPart) {
      try {
        yield* store.read(id, part);
      } catch (error) {
        if (error instanceof DamagedBlob && isAbsent(error)) await compareId();
        throw error;
      }
    },
    ...(presign && {
      async presign(...blob: Parameters<typeof presign>) {
        await requireValid();
        return presign(...blob);
      },
    }),
    async remove(id) {
      await requireValid();
      await store.remove(id);
    },
    async check() {
      await requireValid();
      await store.check();
    },
    close: store.close,
  };
}
