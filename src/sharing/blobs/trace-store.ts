// Reports the operations of a blob store to a trace. The spans do not contain the ids of blobs.
import type { StartSpan } from '../../storage/spans.ts';
import type { BlobPart, BlobStore } from './blob-store.ts';

/** Returns the store with its operations traced. */
export function traceBlobs(
  store: BlobStore,
  kind: 'folder' | 's3',
  startSpan: StartSpan,
): BlobStore {
  const attributes = { 'latchkey.blob_store': kind };

  async function traced<T>(name: string, work: () => Promise<T>): Promise<T> {
    const end = startSpan(name, attributes);
    try {
      const result = await work();
      end?.();
      return result;
    } catch (error) {
      end?.(error);
      throw error;
    }
  }

  const { presign } = store;
  return {
    write: (id, source) => traced('write blob', () => store.write(id, source)),
    async *read(id: string, part: BlobPart) {
      const end = startSpan('read blob', attributes);
      let failed: unknown;
      try {
        yield* store.read(id, part);
      } catch (error) {
        failed = error;
        throw error;
      } finally {
        end?.(failed);
      }
    },
    ...(presign && {
      presign: (...blob: Parameters<typeof presign>) =>
        traced('presign blob', () => presign(...blob)),
    }),
    remove: (id) => traced('remove blob', () => store.remove(id)),
    check: () => store.check(),
    close: () => store.close(),
  };
}
