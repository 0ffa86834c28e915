// Ends a response whose caller loses access while the bytes are sent.
import { type ErrorCode, Failure } from '../base/errors/errors.ts';

/** A check may need queries, for example that of a link with a view limit. */
const checkMs = 2_000;

/** Another error, such as that of a lost database, says nothing about the access. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  ...(['unauthenticated', 'forbidden', 'second_factor_required', 'gone', 'not_found'] as const),
]);

/**
 * Repeats a check before a chunk, unless it was made just now. Throws if the caller has lost access
 * in the meantime: otherwise a slow one would get the document for hours after its link or key was
 * revoked.
 */
export async function* whileGranted(
  chunks: AsyncIterable<Uint8Array>,
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
