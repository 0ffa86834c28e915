// The browsers that have shown a link's password before: their attempts are counted apart, so that
// whoever guesses cannot hold them up (OWASP, "Slow Down Online Guessing Attacks with Device
// Cookies"). Lets nobody in, and ends with the password: who knew the last one may guess, too.
import { type Random, randomText } from '../../ids.ts';
import type { LinkRow } from '../../storage/schema.ts';
import { createSeal } from './seal.ts';

export type Browsers = {
  /** A new cookie for a browser that has just shown the link's password. */
  write(link: LinkRow): string;
  /** The browser's id, where it has shown the link's password before. */
  read(link: LinkRow, text: string | undefined): string | undefined;
};

export const browserSeconds = 90 * 24 * 60 * 60;

export function createBrowsers(key: Uint8Array, random: Random, now: () => number): Browsers {
  const seal = createSeal(key);
  return {
    write({ id, gate_revision }) {
      const exp = Math.floor(now() / 1000) + browserSeconds;
      return seal.write(`${id}.${gate_revision}.${exp}.${randomText(random)}`);
    },
    read({ id, gate_revision }, text) {
      const [linkId, revision, exp, browser] = seal.read(text)?.split('.') ?? [];
      const holds = linkId === id && revision === String(gate_revision);
      return holds && Number(exp) * 1000 > now() ? browser : undefined;
    },
  };
}
