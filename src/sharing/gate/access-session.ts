// The pass: a cookie that says that its bearer has passed a link's gate, and as which reader. It is
// signed, bound to one link and one revision of its gate, and short-lived; no row is read.
import { createSeal } from '../gate/seal.ts';

export type AccessSession = {
  readonly linkId: string;
  readonly gateRevision: number;
  /** The view that the bearer's page reports on. */
  readonly viewId: string;
  /** When the gate was passed, in milliseconds since 1970. */
  readonly startMs: number;
  /** Empty where none was asked for. */
  readonly email: string;
  readonly emailVerified: boolean;
};

export type AccessSessions = {
  write(pass: AccessSession): string;
  /** The pass, if we have signed it; whether it still holds is for the gate to say. */
  read(text: string): AccessSession | undefined;
};

export const accessCookieName = 'latchkey_pass';
export const accessSecondsMax = 12 * 60 * 60;

export function createAccessSessions(key: Uint8Array): AccessSessions {
  const seal = createSeal(key);
  return {
    write({ linkId, gateRevision, viewId, startMs, email, emailVerified }) {
      const address = Buffer.from(email).toString('base64url');
      const reader = `${emailVerified ? 1 : 0}.${address}`;
      return seal.write(`${linkId}.${gateRevision}.${viewId}.${startMs}.${reader}`);
    },
    read(text) {
      const [, linkId, gateRevision, viewId, startMs, verified, address = ''] =
        pattern.exec(seal.read(text) ?? '') ?? [];
      if (linkId === undefined || viewId === undefined) return undefined;
      return {
        linkId,
        gateRevision: Number(gateRevision),
        viewId,
        startMs: Number(startMs),
        email: Buffer.from(address, 'base64url').toString(),
        emailVerified: verified === '1',
      };
    },
  };
}

const pattern =
  /^(lnk_[0-9A-Za-z]{22})\.(\d{1,15})\.(viw_[0-9A-Za-z]{22})\.(\d{1,15})\.([01])\.([\w-]*)$/;
