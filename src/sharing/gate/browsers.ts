// The browsers that have shown a link's password before: their attempts are counted apart, so that
// whoever guesses cannot hold them up (OWASP, "Slow Down Online Guessing Attacks with Device
// Cookies"). Lets nobody in.
import { type Random, randomText } from '../../ids.ts';
import { createSeal } from './seal.ts';

export type Browsers = {
  /** A new cookie for a browser that has just shown the link's password. */
  write(linkId: string): string;
  /** The browser's id, where it has shown the link's password before. */
  read(linkId: string, text: string | undefined): string | undefined;
};

export const browserSeconds = 90 * 24 * 60 * 60;

export function createBrowsers(key: Uint8Array, random: Random, now: () => number): Browsers {
  const seal = createSeal(key);
  return {
    write(linkId) {
      const exp = Math.floor(now() / 1000) + browserSeconds;
      return seal.write(`${linkId}.${exp}.${randomText(random)}`);
    },
    read(linkId, text) {
      const [ofLink, exp, id] = seal.read(text)?.split('.') ?? [];
      return ofLink === linkId && Number(exp) * 1000 > now() ? id : undefined;
    },
  };
}
