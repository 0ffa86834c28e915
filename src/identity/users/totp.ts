// One-time codes of an authenticator app (TOTP, RFC 6238): SHA-1, 6 digits and 30 seconds, which
// every app supports.

import { Secret, TOTP } from 'otpauth';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { TotpSeedRow } from '../../storage/schema/schema.ts';

const issuer = 'Latchkey';
const periodSeconds = 30;
/** RFC 4226 §4, R6 recommends 160 bits. */
const seedBytes = 20;
/** Accepted steps before and after now, for clock differences and typing (RFC 6238 §5.2). */
const window = 1;
/** Five minutes, the maximum difference between the clocks of two processes. */
const stepsAheadMax = 10;

export function generateTotpSeed(random: Random): Uint8Array {
  return random(seedBytes);
}

export const seedPurpose = (userId: string) => `totp seed ${userId}`;

/** Returns the seed in base32, for typing, and as a URI, for a QR code. */
export function describeSeed(seed: Uint8Array, email: string): { secret: string; uri: string } {
  const totp = totpOf(seed, email);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** Undefined for a wrong code, and for a step that is not later than the last one (§5.2). */
export function matchTotpStep(
  seed: Uint8Array,
  code: string,
  { now, lastStep }: { now: number; lastStep: number },
): number | undefined {
  const delta = totpOf(seed, '').validate({ token: code, timestamp: now, window });
  if (delta === null) return undefined;
  const current = Math.floor(now / 1000 / periodSeconds);
  const step = current + delta;
  // The last accepted step is far ahead only if the clock was set back since.
  const isAhead = lastStep > current + stepsAheadMax;
  return step > lastStep || isAhead ? step : undefined;
}

export type MatchSealedTotpStep = (seed: TotpSeedRow, code: string) => number | undefined;

export function createSealedTotpMatcher(masterKey: MasterKey, now: Clock): MatchSealedTotpStep {
  return ({ user_id, ciphertext, last_step }, code) =>
    matchTotpStep(masterKey.open(ciphertext, seedPurpose(user_id)), code, {
      now: now(),
      lastStep: last_step,
    });
}

function totpOf(seed: Uint8Array, label: string): TOTP {
  const secret = new Secret({ buffer: Uint8Array.from(seed).buffer });
  return new TOTP({ issuer, label, secret, period: periodSeconds, digits: 6, algorithm: 'SHA1' });
}
