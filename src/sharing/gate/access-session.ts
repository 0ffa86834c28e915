// An access session is the cookie of a reader who has completed a link's gate. The cookie is signed
// for the link and for one revision of its gate. The database has no row for it.
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
