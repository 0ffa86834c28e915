// The hashes of secrets that other authorization servers have stored: bcrypt, and PBKDF2 in the
// form of Ory Hydra. Bounded, because the service computes them during token requests.
import { pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { invalid } from '../../base/errors/errors.ts';

const bcryptCosts = { min: 4, max: 12 };
const pbkdf2Iterations = { min: 1_000, max: 600_000 };
const saltBytes = { min: 8, max: 64 };
const keyBytesMin = 16;

/** bcrypt ignores the bytes after these. */
const bcryptBytesMax = 72;

const bcryptPattern = /^\$2[aby]\$(\d\d)\$[./0-9A-Za-z]{53}$/;
const pbkdf2Pattern = /^\$pbkdf2-(sha256|sha512)\$i=(\d{1,10}),l=(\d{1,4})\$([^$]*)\$([^$]*)$/;
const digestBytes = { sha256: 32, sha512: 64 } as const;

/** Throws `invalid_argument`, without the hash, unless the service can check secrets with it. */
export function checkImportedHash(field: string, text: string): void {
  const [, cost] = bcryptPattern.exec(text) ?? [];
  if (cost !== undefined) {
    requireWithin(field, 'bcrypt cost', Number(cost), bcryptCosts);
    return;
  }
  const parsed = parsePbkdf2(text);
  if (parsed === undefined) {
    const forms =
      '$2b$<cost>$<53 characters> or $pbkdf2-sha256$i=<iterations>,l=<bytes>$<salt>$<key>';
    throw invalid(field, `must be a hash of bcrypt or PBKDF2: ${forms}`);
  }
  const { digest, iterations, length, salt, key } = parsed;
  requireWithin(field, 'PBKDF2 iteration count', iterations, pbkdf2Iterations);
  requireWithin(field, 'salt length in bytes', salt.length, saltBytes);
  // A key longer than the digest slows down only the server, not an attacker.
  const keyBytes = { min: keyBytesMin, max: digestBytes[digest] };
  requireWithin(field, 'key length in bytes', key.length, keyBytes);
  if (key.length !== length) throw invalid(field, 'must have a key of as many bytes as `l` says');
}

type Bounds = { readonly min: number; readonly max: number };

function requireWithin(field: string, what: string, value: number, { min, max }: Bounds): void {
  if (value >= min && value <= max) return;
  const [from, to] = [min, max].map((bound) => bound.toLocaleString('en'));
  throw invalid(
    field,
    `must have a ${what} of ${from} to ${to}, not ${value.toLocaleString('en')}`,
  );
}

/** Returns whether a hash that was checked before is that of the secret. */
export async function matchesImportedHash(hash: string, secret: string): Promise<boolean> {
  const parsed = parsePbkdf2(hash);
  if (parsed !== undefined) {
    const { digest, iterations, salt, key } = parsed;
    const derived = await promisify(pbkdf2)(secret, salt, iterations, key.length, digest);
    return timingSafeEqual(derived, key);
  }
  // Some implementations end the secret at a NUL.
  if (Buffer.byteLength(secret) > bcryptBytesMax || secret.includes('\0')) return false;
  const { verify } = await import('@node-rs/bcrypt');
  return verify(secret, hash);
}

function parsePbkdf2(text: string) {
  const [, digest, iterations, length, salt = '', key = ''] = pbkdf2Pattern.exec(text) ?? [];
  if (digest !== 'sha256' && digest !== 'sha512') return undefined;
  const decoded = { salt: decodeBase64(salt), key: decodeBase64(key) };
  if (decoded.salt === undefined || decoded.key === undefined) return undefined;
  const counts = { iterations: Number(iterations), length: Number(length) };
  return { digest, ...counts, salt: decoded.salt, key: decoded.key } as const;
}

/** Without padding, and only in the form that an encoder writes. */
function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text ? bytes : undefined;
}
