// An access session is the cookie of a reader who has completed a link's gate. The cookie is signed
// for the link and for one revision of its gate. The database has no row for it.
import type { LinkRow } from '../../storage/schema.ts';
import type { Accepted } from '../agreements/agreements.ts';

export type AccessSession = {
  /** The view of the first version of the document: see `viewIdOf`. */
  readonly viewId: string;
  /** When the reader completed the gate, in milliseconds since 1970. */
  readonly startMs: number;
  /** Empty if the gate did not ask for an address. */
  readonly email: string;
  readonly emailVerified: boolean;
  /** The agreement that the reader accepted, if the link had one. */
  readonly agreement?: Accepted;
  /** The client that reads for the person. No cookie has it. */
  readonly program?: { readonly id: string; readonly name: string };
};

export const accessSecondsMax = 12 * 60 * 60;

/** Binds a signed value to a link and to one revision of its gate. */
export const signatureContextOf = (link: LinkRow) => `${link.id}.${link.gate_revision}`;
