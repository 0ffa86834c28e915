// An access session is the cookie of a reader who has completed a link's gate. The cookie is signed
// for the link and for one revision of its gate. The database has no row for it.
import { createHash } from 'node:crypto';
import { newId } from '../../base/crypto/ids.ts';
import type { LinkRow } from '../../storage/schema.ts';

export type AccessSession = {
  /** The view of the first version of the document: see `viewIdOf`. */
  readonly viewId: string;
  /** When the reader completed the gate, in milliseconds since 1970. */
  readonly startMs: number;
  /** Empty if the gate did not ask for an address. */
  readonly email: string;
  readonly emailVerified: boolean;
};

export const accessSecondsMax = 12 * 60 * 60;

/** Binds a signed value to a link and to one revision of its gate. */
export const signatureContextOf = (link: LinkRow) => `${link.id}.${link.gate_revision}`;

/**
 * The view that the reader's browser reports on. Each version has another one, so that no view mixes
 * versions. The first version has the id that release 0.1 uses.
 */
export function viewIdOf({ viewId }: AccessSession, version: number): string {
  if (version === 1) return viewId;
  const digest = createHash('sha256').update(`${viewId}.${version}`).digest();
  return newId('viw', (size) => digest.subarray(0, size));
}
