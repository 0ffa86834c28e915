// Verifies assertions that clients sign with their own keys (`private_key_jwt`, RFC 7523 §3).
import { createHash } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import type { Clock } from '../../base/clock.ts';
import { isId } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import { tokenSettingsOf } from '../../credentials/token-settings.ts';
import { entityKey } from '../../storage/change.ts';
import { isUniqueViolation, transact } from '../../storage/database.ts';
import { oldRows } from '../../storage/delete-oldest.ts';
import type { Invalidations } from '../../storage/invalidation.ts';
import type { RetentionRule } from '../../storage/retention.ts';
import { createRevocationSafeCache } from '../../storage/revocation-safe-cache.ts';
import type { ClientKeyRow, ClientRow, Database, Executor } from '../../storage/schema.ts';
import type { VerifyAssertion } from './client-authentication.ts';
import { openJwk } from './client-jwk.ts';
import { insertUsedAssertion } from './store.ts';

export type ClientAssertionOptions = {
  readonly db: Database;
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
  readonly findClient: (db: Executor, id: string) => Promise<ClientRow | undefined>;
  /** Returns the keys that are neither revoked nor expired. */
  readonly findLiveKeys: (db: Executor, id: string, time: number) => Promise<ClientKeyRow[]>;
  /** The values of `aud` that name this service. */
  readonly audiences: readonly string[];
  readonly now: Clock;
};

/** An assertion may live this long, in seconds. */
const secondsMax = 300;

/** The clock of a client may be ahead by this many seconds. Expiry has no tolerance. */
const aheadSecondsMax = 30;

/** The clocks of two processes differ by at most this much. */
const skewMaxMs = 300_000;

const jtiMax = 256;

type OpenKey = ReturnType<typeof openJwk> & { readonly expireTime: number | null };

type KeysOfClient = { readonly client: ClientRow | undefined; readonly keys: readonly OpenKey[] };

/** The answer does not reveal the reason, which the log has. */
const refuse = (reason: string, target = '') =>
  fail('identity.credential_invalid', 'The assertion is not valid.', {
    target,
    cause: new Error(reason),
  });

export function createAssertionVerifier(options: ClientAssertionOptions): VerifyAssertion {
  const { db, invalidations, audiences, now } = options;
  const cache = createRevocationSafeCache<KeysOfClient>({
    invalidations,
    dependsOn: (_, id) => [entityKey('client', id)],
    entriesMax: 10_000,
    // A new client causes no change.
    isCached: ({ client }) => client !== undefined,
  });

  async function read(id: string): Promise<KeysOfClient> {
    const client = await options.findClient(db, id);
    const rows = client === undefined ? [] : await options.findLiveKeys(db, id, now());
    const keys = rows.map((row) => ({
      ...openJwk(JSON.parse(row.jwk), row.thumbprint),
      expireTime: row.expire_time,
    }));
    return { client, keys };
  }

  /** Accepts each assertion once in the deployment. */
  async function use(clientId: string, jti: string, exp: number): Promise<void> {
    const digest = createHash('sha256')
      .update(JSON.stringify([clientId, jti]))
      .digest('hex');
    const row = { digest, expire_time: exp * 1000 };
    await transact(db, (trx) => insertUsedAssertion(trx, row)).catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw refuse('The assertion was used before.', clientId);
    });
  }

  return async (assertion) => {
    const { header, payload } = decode(assertion);
    const { sub: id = '' } = payload;
    if (!isId('cli', id) || payload.iss !== id) {
      throw refuse('The assertion has another issuer than the client.');
    }
    const problem = problemOf(payload, audiences, now() / 1000);
    if (problem !== undefined) throw refuse(problem, id);
    const { client, keys } = await cache.get(id, () => read(id));
    if (client === undefined || client.disable_time !== null) {
      throw refuse('The client is disabled or does not exist.', id);
    }
    const { alg, kid } = header;
    const usable = keys.filter(
      ({ algorithms, names, expireTime }) =>
        algorithms.some((name) => name === alg) &&
        (kid === undefined || names.includes(kid)) &&
        (expireTime === null || expireTime > now()),
    );
    if (!(await isSignedByOne(assertion, usable))) {
      throw refuse('No live key of the client signed the assertion.', id);
    }
    await use(id, payload.jti ?? '', payload.exp ?? 0);
    const scopes = parseStoredScopes(client.scopes);
    return { clientId: id, scopes, tokenSettings: tokenSettingsOf(client) };
  };
}

function decode(assertion: string) {
  try {
    return { header: decodeProtectedHeader(assertion), payload: decodeJwt(assertion) };
  } catch {
    throw refuse('The assertion is not a JWT.');
  }
}

/** Returns why an assertion is not valid now; undefined if it is. */
function problemOf(
  { aud, exp, iat, nbf, jti }: JWTPayload,
  audiences: readonly string[],
  now: number,
): string | undefined {
  const named = Array.isArray(aud) ? aud : [aud];
  if (!named.some((name) => typeof name === 'string' && audiences.includes(name))) {
    return 'The assertion has another audience than this service.';
  }
  if (!Number.isFinite(exp) || exp === undefined || exp <= now) {
    return 'The assertion has expired or has no exp.';
  }
  if (exp > now + secondsMax) return `The assertion lives longer than ${secondsMax} seconds.`;
  for (const start of [iat, nbf]) {
    if (start !== undefined && !(start <= now + aheadSecondsMax)) {
      return 'The assertion is not valid yet.';
    }
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > jtiMax) {
    return `The assertion has no jti of 1 to ${jtiMax} characters.`;
  }
  return undefined;
}

async function isSignedByOne(assertion: string, keys: readonly OpenKey[]): Promise<boolean> {
  for (const { key, algorithms } of keys) {
    const isSigned = await compactVerify(assertion, key, { algorithms: [...algorithms] }).then(
      () => true,
      () => false,
    );
    if (isSigned) return true;
  }
  return false;
}

export const assertionRetention = (now: Clock): RetentionRule =>
  oldRows({
    table: 'used_assertions',
    key: 'digest',
    time: 'expire_time',
    ranges: () => [{ before: now() - skewMaxMs }],
  });
