// The one wrapper of a store. It uses a store only if it belongs to the database: nothing is
// written to or removed from another store, and blobs that are missing there do not count as
// damaged. It also reports the operations to a trace, without the ids of blobs.
import { DamagedBlob, isAbsent } from '../../base/files/damaged-blob.ts';
import type { EndSpan } from '../../storage/spans.ts';
import type { BlobPart, BlobStore, MarkedStore } from './blob-store.ts';
import type { RequireOwn } from './store-id.ts';

/** Starts a span of the current call. Returns undefined if the call is not traced. */
export type StartBlobSpan = (name: string) => EndSpan | undefined;

export function restrictToOwn(
  store: MarkedStore,
  requireOwn: RequireOwn,
  startSpan: StartBlobSpan = () => undefined,
): BlobStore {
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

  async function run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const end = startSpan(name);
    try {
      await requireValid();
      const result = await work();
      end?.();
      return result;
    } catch (error) {
      end?.(error);
      throw error;
    }
  }

  return {
    write: (id, source) => run('write blob', () => store.write(id, source)),
    async *read(id: string, part: BlobPart) {
      const end = startSpan('read blob');
      let failed: unknown;
      try {
        yield* store.read(id, part);
      } catch (error) {
        failed = error;
        if (error instanceof DamagedBlob && isAbsent(error)) await compareId();
        throw error;
      } finally {
        end?.(failed);
      }
    },
    ...(presign && {
      presign: (...blob: Parameters<typeof presign>) => run('presign blob', () => presign(...blob)),
    }),
    remove: (id) => run('remove blob', () => store.remove(id)),
    async check() {
      await requireValid();
      await store.check();
    },
    close: store.close,
  };
}
