// Invalid credentials, and a credential directory that must reject them.
import { randomBytes } from 'node:crypto';
import {
  type CredentialKind,
  generateCredential,
} from '../../src/base/crypto/credential-format.ts';
import {
  type CredentialDirectory,
  createCredentialDirectory,
} from '../../src/credentials/directory.ts';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import type { Added } from './owner-rows.ts';

/** A well-formed credential that is not in the database. */
export function unknownCredential(kind: CredentialKind): string {
  return generateCredential(kind, randomBytes).text;
}

/** Well-formed, with the lookup id of an existing credential and a different secret. */
export function wrongSecret(kind: CredentialKind, { credentialId }: Added): string {
  const lookupId = numberOf(credentialId.slice('key_'.length));
  const bytes = Buffer.from(lookupId.toString(16).padStart(32, '0'), 'hex');
  return generateCredential(kind, (size) => (size === 16 ? bytes : randomBytes(size))).text;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function numberOf(base62: string): bigint {
  return [...base62].reduce((sum, digit) => sum * 62n + BigInt(alphabet.indexOf(digit)), 0n);
}

/** Differs from the credential only in its last character. */
export function mistype(text: string): string {
  return text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
}

export type CountedDirectory = { directory: CredentialDirectory; queries: () => number };

/** Opens another directory on a database and counts its queries. */
export async function withDirectory<T>(
  db: Database,
  work: (counted: CountedDirectory) => Promise<T>,
): Promise<T> {
  let queries = 0;
  const counted = db.withPlugin({
    transformQuery({ node }) {
      queries++;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const invalidations = await watchInvalidations(db);
  const directory = createCredentialDirectory({
    db: counted,
    invalidations,
    recordUse: () => {},
    now: Date.now,
  });
  try {
    return await work({ directory, queries: () => queries });
  } finally {
    await invalidations.stop();
  }
}
