// The browsers that have passed a step of a link's gate before: they showed its password or proved
// an address. Their attempts are counted apart, so that attempts of others cannot hold them up
// (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). The cookie opens nothing, and
// ends with the password: a reader who knew the last one may guess the next.
import { createHash } from 'node:crypto';
import { type Random, randomText } from '../../crypto/ids.ts';
import type { LinkRow } from '../../storage/schema.ts';
import { createSeal } from './seal.ts';

export type Browsers = {
  /** A new cookie for a browser that has shown the link's password or proven `email`. */
  write(link: LinkRow, email?: string): string;
  /** The browser's id, where it has passed a step of the link's gate before. */
  read(link: LinkRow, text: string | undefined): string | undefined;
};

export const browserSeconds = 90 * 24 * 60 * 60;

/** What the id of a browser that has proven an address begins with. No random text has it. */
const proven = 'proven-';

export const hasProven = (browser: string | undefined) => browser?.startsWith(proven) === true;

export function createBrowsers(key: Uint8Array, random: Random, now: () => number): Browsers {
  const seal = createSeal(key);
  return {
    write({ id, gate_revision }, email) {
      const exp = Math.floor(now() / 1000) + browserSeconds;
      // All browsers that prove one address count as one: a proof must not multiply what it allows.
      const browser = email === undefined ? randomText(random) : browserIdOf(email);
      return seal.write(`${id}.${gate_revision}.${exp}.${browser}`);
    },
    read({ id, gate_revision }, text) {
      const [linkId, revision, exp, browser] = seal.read(text)?.split('.') ?? [];
      const holds = linkId === id && revision === String(gate_revision);
      return holds && Number(exp) * 1000 > now() ? browser : undefined;
    },
  };
}

/** The id of all browsers that have proven an address. */
export const browserIdOf = (email: string) => proven + digestOf(email);

const digestOf = (email: string) => createHash('sha256').update(email).digest('base64url');
