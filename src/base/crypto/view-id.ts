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

/** A reader who keeps a page open meets no more versions than this. */
const versionsMax = 200;

/** The views that the reader may have, up to a version. */
export function viewIdsOf(session: { readonly viewId: string }, version: number): string[] {
  const first = Math.max(1, version - versionsMax);
  const versions = Array.from({ length: version - first + 1 }, (_, i) => first + i);
  return [...new Set([1, ...versions])].map((number) => viewIdOf(session, number));
}
