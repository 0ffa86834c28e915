// One-time codes of an authenticator app (TOTP, RFC 6238): SHA-1, 6 digits, 30 seconds, as every
// app has them.

import { Secret, TOTP } from 'otpauth';
import type { Clock } from '../../clock.ts';
import type { Random } from '../../crypto/ids.ts';
import type { MasterKey } from '../../crypto/master-key.ts';
import type { TotpSeedRow } from '../../storage/schema.ts';

const issuer = 'Latchkey';
const periodSeconds = 30;
/** RFC 4226 §4, R6: 160 bits are recommended. */
const seedBytes = 20;
/** Steps before and after now: for the device's clock, and the time to type (RFC 6238 §5.2). */
const window = 1;
/** Five minutes: how far the clocks of two processes may be apart. */
const stepsAheadMax = 10;

export function newSeed(random: Random): Uint8Array {
  return random(seedBytes);
}

/** What the seed is encrypted for, under the master key. */
export const seedPurpose = (userId: string) => `totp seed ${userId}`;

/** The seed in base32, to be typed, and as a URI, to be shown as a QR code. */
export function describeSeed(seed: Uint8Array, email: string): { secret: string; uri: string } {
  const totp = totpOf(seed, email);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/**
 * The time step whose code was given; undefined for a wrong one. A code is to be taken once only
 * (RFC 6238 §5.2): the step has to be later than the last one that was.
 */
export function stepOf(
  seed: Uint8Array,
  code: string,
  { now, lastStep }: { now: number; lastStep: number },
): number | undefined {
  const delta = totpOf(seed, '').validate({ token: code, timestamp: now, window });
  if (delta === null) return undefined;
  const current = Math.floor(now / 1000 / periodSeconds);
  const step = current + delta;
  // A step that is far ahead was taken before the clock was set back.
  const isAhead = lastStep > current + stepsAheadMax;
  return step > lastStep || isAhead ? step : undefined;
}

/** The same for a seed as it is stored. */
export type SealedStepOf = (seed: TotpSeedRow, code: string) => number | undefined;

export function createSealedStepOf(masterKey: MasterKey, now: Clock): SealedStepOf {
  return ({ user_id, ciphertext, last_step }, code) =>
    stepOf(masterKey.open(ciphertext, seedPurpose(user_id)), code, {
      now: now(),
      lastStep: last_step,
    });
}

function totpOf(seed: Uint8Array, label: string): TOTP {
  const secret = new Secret({ buffer: Uint8Array.from(seed).buffer });
  return new TOTP({ issuer, label, secret, period: periodSeconds, digits: 6, algorithm: 'SHA1' });
}
