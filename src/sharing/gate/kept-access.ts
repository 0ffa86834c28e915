// A response lasts as long as its reader reads. It ends when the reader loses access meanwhile, so
// that a slow reader does not get a document for hours after its link was revoked.
import { type ErrorCode, Failure } from '../../base/errors/errors.ts';

/** The rows come from a cache, but a link with a view limit needs queries. */
const checkMs = 2_000;

/** Another error, such as that of a lost database, says nothing about the access. */
const refusals: ReadonlySet<ErrorCode> = new Set(['forbidden', 'gone', 'not_found']);

/** Repeats a check before a chunk, unless it was made just now. Throws if it refuses the reader. */
export async function* whileGranted(
  chunks: AsyncGenerator<Uint8Array>,
  check: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  let checkedAt = performance.now();
  for await (const chunk of chunks) {
    if (performance.now() - checkedAt >= checkMs) {
      await check().catch((error: unknown) => {
        if (error instanceof Failure && refusals.has(error.code)) throw error;
      });
      checkedAt = performance.now();
    }
    yield chunk;
  }
}
