// An access session: the cookie of a reader who has passed a link's gate. It is signed for the link
// and for one revision of its gate, and it has no row.
import type { LinkRow } from '../../storage/schema.ts';

export type AccessSession = {
  /** The view that the reader's browser reports on. */
  readonly viewId: string;
  /** When the reader passed the gate, in milliseconds since 1970. */
  readonly startMs: number;
  /** Empty if the gate asked for none. */
  readonly email: string;
  readonly emailVerified: boolean;
};

export const accessSecondsMax = 12 * 60 * 60;

/** Binds a signed value to a link and to one revision of its gate. */
export const gateContext = (link: LinkRow) => `${link.id}.${link.gate_revision}`;
