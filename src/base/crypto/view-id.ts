import { createHash } from 'node:crypto';
import { newId } from './ids.ts';

/**
 * The view that the reader's browser reports on. Each version has another one, so that no view
 * mixes versions. The first version has the id that release 0.1 uses.
 */
export function viewIdOf({ viewId }: { readonly viewId: string }, version: number): string {
  if (version === 1) return viewId;
  const digest = createHash('sha256').update(`${viewId}.${version}`).digest();
  return newId('viw', (size) => digest.subarray(0, size));
}

/** The view of a version of a document that the reader opens in a room. */
export function roomViewIdOf(
  { viewId }: { readonly viewId: string },
  documentId: string,
  version: number,
): string {
  const digest = createHash('sha256').update(`${viewId}.${documentId}.${version}`).digest();
  return newId('viw', (size) => digest.subarray(0, size));
}
