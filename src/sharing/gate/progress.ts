// How far a visitor has come in a gate that asks for several things: a cookie that we have signed,
// bound to one link and one revision of its gate, so that nothing is taken from the visitor's word.
import type { LinkRow } from '../../storage/schema.ts';
import { createSeal } from './seal.ts';

export type Progress = {
  /** Whether the password was right. */
  readonly knowsPassword: boolean;
  /** The address that a code was sent to. */
  readonly email: string | undefined;
  /** The visitor's id, since an address was given; empty before. It counts tries of a code. */
  readonly visitor: string;
};

export type Progresses = {
  write(link: LinkRow, progress: Progress): string;
  /** What the text tells of this link; nothing where it tells nothing, or no longer. */
  read(link: LinkRow, text: string | undefined): Progress;
};

/** Time enough to find a mail. */
export const progressSeconds = 30 * 60;

const atTheDoor: Progress = { knowsPassword: false, email: undefined, visitor: '' };

export function createProgresses(key: Uint8Array, now: () => number): Progresses {
  const seal = createSeal(key);
  return {
    write({ id, gate_revision }, { knowsPassword, email, visitor }) {
      const exp = Math.floor(now() / 1000) + progressSeconds;
      const address = Buffer.from(email ?? '').toString('base64url');
      return seal.write(
        `${id}.${gate_revision}.${exp}.${knowsPassword ? 1 : 0}.${address}.${visitor}`,
      );
    },
    read({ id, gate_revision }, text) {
      const [linkId, revision, exp, knows, address = '', visitor = ''] =
        seal.read(text)?.split('.') ?? [];
      const holds =
        linkId === id && revision === String(gate_revision) && Number(exp) * 1000 > now();
      if (!holds) return atTheDoor;
      const email = Buffer.from(address, 'base64url').toString();
      return { knowsPassword: knows === '1', email: email === '' ? undefined : email, visitor };
    },
  };
}
