// The gate of a link: every way to a shared document asks here first, on every request, so that a
// revocation or an expiry bites at once.
import { newId, type Random } from '../../crypto/ids.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema.ts';
import type { Links, SharedDocument } from '../links/links.ts';
import { type AccessSession, type AccessSessions, accessSecondsMax } from './access-session.ts';

/** What the gate says to a request. */
export type Decision =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'ask'; readonly shared: SharedDocument }
  | {
      readonly kind: 'open';
      readonly shared: SharedDocument;
      readonly pass: AccessSession;
    };

/** Who is let in. */
export type Viewer = {
  /** Empty where none was asked for. */
  readonly email: string;
  /** Proves the address, which uses the proof up; a viewer without it is not let in. */
  readonly prove?: (trx: Executor) => Promise<boolean>;
};

export type Admission = {
  /** The value of the pass's cookie. */
  readonly pass: string;
  readonly maxAgeSeconds: number;
};

export type Gate = {
  /** Decides on a request that carries the pass `pass`, if any. */
  authorise(slug: string, pass: string | undefined): Promise<Decision>;
  /** Whether there is anything to ask for. */
  isOpen(link: LinkRow): boolean;
  /** Lets a viewer in who has given what the link asks for. It is a view once the page reports. */
  admit(link: LinkRow, viewer: Viewer): Promise<Admission | undefined>;
};

export type GateOptions = {
  readonly db: Database;
  readonly links: Links;
  readonly passes: AccessSessions;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

const slugPattern = /^[0-9A-Za-z]{22}$/;

export function createGate({ db, links, passes, random, now }: GateOptions): Gate {
  function holding(text: string | undefined, link: LinkRow): AccessSession | undefined {
    const pass = text === undefined ? undefined : passes.read(text);
    const holds =
      pass !== undefined &&
      pass.linkId === link.id &&
      pass.gateRevision === link.gate_revision &&
      pass.startMs + accessSecondsMax * 1000 > now();
    return holds ? pass : undefined;
  }

  return {
    async authorise(slug, pass) {
      const shared = slugPattern.test(slug) ? await links.findShared(slug) : undefined;
      if (shared === undefined) return { kind: 'unknown' };
      const { revoke_time, expire_time } = shared.link;
      if (revoke_time !== null || (expire_time !== null && expire_time <= now())) {
        return { kind: 'gone' };
      }
      const held = holding(pass, shared.link);
      if (held === undefined) return { kind: 'ask', shared };
      return { kind: 'open', shared, pass: held };
    },

    isOpen: (link) =>
      link.email_required === 0 &&
      link.email_verification_required === 0 &&
      link.password_hash === null,

    async admit(link, { email, prove }) {
      if (prove !== undefined && !(await transact(db, prove))) return undefined;
      const pass = passes.write({
        linkId: link.id,
        gateRevision: link.gate_revision,
        viewId: newId('viw', random),
        startMs: now(),
        email,
        emailVerified: prove !== undefined,
      });
      return { pass, maxAgeSeconds: accessSecondsMax };
    },
  };
}
