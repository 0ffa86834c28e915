// Known browsers have completed a step of a link's gate before: the password or a verified address.
// Their attempts are counted separately, so that attempts of others do not delay them (OWASP, "Slow
// Down Online Guessing Attacks with Device Cookies"). The cookie grants no access. A new password
// invalidates it, because a reader who knew the last password may guess the next one.
import { createHash } from 'node:crypto';
import { type Random, randomText } from '../../base/crypto/ids.ts';

export const knownBrowserSeconds = 90 * 24 * 60 * 60;

/** The prefix of the ids of browsers with a verified address. No random id has it. */
const verifiedPrefix = 'verified-';

export function newBrowserId(random: Random, email: string | undefined): string {
  return email === undefined ? randomText(random) : verifiedBrowserId(email);
}

/** Shared by browsers, so that verifying an address again does not multiply the attempts. */
export function verifiedBrowserId(email: string): string {
  return verifiedPrefix + createHash('sha256').update(email).digest('base64url');
}

export function hasVerifiedEmail(browserId: string | undefined): boolean {
  return browserId?.startsWith(verifiedPrefix) === true;
}
