// The published keys of Latchkey (JWKS, RFC 7517 §5), cached as their headers permit.
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { publicKeyOf, type SigningAlgorithm } from './algorithms.ts';

export type KeySource = {
  /** Returns the key, or undefined if it is not published. Throws if no keys can be had. */
  find(kid: string): Promise<CryptoKey | undefined>;
};

export type KeySourceOptions = {
  readonly url: string;
  readonly alg: SigningAlgorithm;
  /** How long keys are used after their max-age while they cannot be fetched. */
  readonly staleSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

type KeySet = {
  readonly keys: ReadonlyMap<string, CryptoKey>;
  readonly etag: string | null;
  /** When the set has to be fetched again, and when it must not be used any more. */
  readonly staleTime: number;
  readonly endTime: number;
};

const bytesMax = 256 * 1024;
const keysMax = 100;
const timeoutMs = 5_000;
/** Between two fetches because of unknown keys, which anyone can cause. */
const unknownKeyPauseMs = 60_000;
/** Between two fetches while the keys cannot be fetched. */
const failurePauseMs = 2_000;
/** The default of the max-age, and the limits of the time until the next fetch. */
const maxAgeSeconds = { default: 300, min: 5, max: 86_400 };

export function remoteKeys(options: KeySourceOptions): KeySource {
  const { now } = options;
  let current: KeySet | undefined;
  let fetching: Promise<void> | undefined;
  let failure: { readonly error: unknown; readonly retryTime: number } | undefined;
  let unknownKeyTime = Number.NEGATIVE_INFINITY;

  async function fetchKeys(): Promise<void> {
    try {
      current = await fetchKeySet(options, current);
      failure = undefined;
    } catch (error) {
      failure = { error, retryTime: now() + failurePauseMs };
    } finally {
      fetching = undefined;
    }
  }

  /** Concurrent callers share a fetch. */
  function refresh(): Promise<void> {
    if (fetching === undefined && failure !== undefined && now() < failure.retryTime) {
      return Promise.resolve();
    }
    fetching ??= fetchKeys();
    return fetching;
  }

  return {
    async find(kid) {
      const before = current;
      if (before === undefined || now() >= before.staleTime) await refresh();
      if (current === undefined || now() >= current.endTime) {
        throw new Error('The keys of Latchkey cannot be fetched.', { cause: failure?.error });
      }
      const key = current.keys.get(kid);
      if (key !== undefined) return key;
      // The keys of this moment do not have it.
      if (current !== before) return undefined;
      // Another caller's fetch may bring the key.
      if (fetching === undefined && now() - unknownKeyTime < unknownKeyPauseMs) return undefined;
      unknownKeyTime = now();
      await refresh();
      return current.keys.get(kid);
    },
  };
}

async function fetchKeySet(
  { url, alg, staleSeconds, now }: KeySourceOptions,
  before: KeySet | undefined,
): Promise<KeySet> {
  const headers = new Headers({ accept: 'application/jwk-set+json, application/json' });
  if (before?.etag) headers.set('if-none-match', before.etag);
  const signal = AbortSignal.timeout(timeoutMs);
  const requestTime = now();
  const response = await fetch(url, { headers, redirect: 'error', signal });
  const staleTime = requestTime + freshSecondsOf(response.headers) * 1000;
  const times = { staleTime, endTime: staleTime + staleSeconds * 1000 };
  if (response.status === 304 && before !== undefined) return { ...before, ...times };
  if (response.status !== 200) throw new Error(`The JWKS has the HTTP status ${response.status}.`);
  const keys = await importKeys(JSON.parse(await limitedText(response)), alg);
  return { keys, etag: response.headers.get('etag'), ...times };
}

/** The max-age less the time that the response spent in caches (RFC 9111 §4.2). */
function freshSecondsOf(headers: Headers): number {
  const cacheControl = headers.get('cache-control') ?? '';
  const [, maxAge] = /(?:^|[\s,])max-age=(\d{1,9})/.exec(cacheControl) ?? [];
  const [age = '0'] = /^\d{1,9}(?=$|\s*,)/.exec(headers.get('age') ?? '') ?? [];
  const seconds = Number(maxAge ?? maxAgeSeconds.default) - Number(age);
  return Math.min(Math.max(seconds, maxAgeSeconds.min), maxAgeSeconds.max);
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, length] = ['', 0];
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) throw new Error('The JWKS is too large.');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Ignores the keys of other algorithms. */
async function importKeys(
  set: { readonly keys?: unknown },
  alg: SigningAlgorithm,
): Promise<Map<string, CryptoKey>> {
  if (!Array.isArray(set.keys)) throw new Error('The JWKS has no keys.');
  const imported = new Map<string, CryptoKey>();
  for (const jwk of set.keys.slice(0, keysMax) as JWK[]) {
    const key = publicKeyOf(jwk, alg);
    if (key === undefined || jwk.kid === undefined) continue;
    imported.set(jwk.kid, (await importJWK(key, alg)) as CryptoKey);
  }
  return imported;
}
