// The errors and the order of locks in the methods for several links.
import { type ErrorCode, Failure, fail } from '../../base/errors/errors.ts';

/** Other errors without a field, such as that of a full queue, do not concern one request. */
const aboutRequest = new Set<ErrorCode>(['not_found', 'conflict', 'precondition_failed']);

/**
 * Adds the position of a request, such as `requests[3]`, to the fields of its error. `own` is the
 * field of an error that names none.
 */
export async function inBatch<T>(at: string, work: () => Promise<T>, own?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const [first] = error.extra.fields ?? [];
    const detail = first?.detail ?? error.message;
    const name = first === undefined ? own : `.${first.field}`;
    if (name === undefined || (first === undefined && !aboutRequest.has(error.code))) throw error;
    const field = `${at}${name}`;
    throw fail(error.code, `${field}: ${detail}`, { ...error.extra, fields: [{ field, detail }] });
  }
}

/** Several transactions lock the rows in one order, so that they do not wait for each other. */
export const inLockOrder = <T extends { readonly id: string }>(all: readonly T[]): T[] =>
  all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
