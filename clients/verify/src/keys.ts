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
  readonly fetchTime: number;
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
  const { now, staleSeconds } = options;
  let current: KeySet | undefined;
  let fetching: Promise<void> | undefined;
  let failure: { readonly error: unknown; readonly time: number } | undefined;
  let unknownKeyTime = Number.NEGATIVE_INFINITY;

  /** Also false if the clock was set back behind the start: the times then mean nothing. */
  const isBetween = (start: number, end: number) => start <= now() && now() < end;
  const isWithin = (start: number, ms: number) => isBetween(start, start + ms);

  async function fetchKeys(): Promise<void> {
    try {
      current = await fetchKeySet(options, current);
      failure = undefined;
    } catch (error) {
      const time = now();
      failure = { error, time };
      if (current === undefined || time >= current.fetchTime) return;
      current = { ...current, ...timesOf(time, 0, staleSeconds) };
    } finally {
      fetching = undefined;
    }
  }

  /** Concurrent callers share a fetch. */
  function refresh(): Promise<void> {
    const isPaused = failure !== undefined && isWithin(failure.time, failurePauseMs);
    if (fetching === undefined && isPaused) return Promise.resolve();
    fetching ??= fetchKeys();
    return fetching;
  }

  return {
    async find(kid) {
      const before = current;
      const isFresh = before !== undefined && isBetween(before.fetchTime, before.staleTime);
      if (!isFresh) await refresh();
      if (current === undefined || now() >= current.endTime) {
        throw new Error('The keys of Latchkey cannot be fetched.', { cause: failure?.error });
      }
      const key = current.keys.get(kid);
      if (key !== undefined) return key;
      // The keys of this moment do not have it.
      if (current !== before) return undefined;
      // Another caller's fetch may bring the key.
      if (fetching === undefined && isWithin(unknownKeyTime, unknownKeyPauseMs)) return undefined;
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
  const times = timesOf(requestTime, freshSecondsOf(response.headers), staleSeconds);
  if (response.status === 304 && before !== undefined) return { ...before, ...times };
  if (response.status !== 200) throw new Error(`The JWKS has the HTTP status ${response.status}.`);
  const keys = await importKeys(JSON.parse(await limitedText(response)), alg);
  return { keys, etag: response.headers.get('etag'), ...times };
}

function timesOf(fetchTime: number, freshSeconds: number, staleSeconds: number) {
  const staleTime = fetchTime + freshSeconds * 1000;
  return { fetchTime, staleTime, endTime: staleTime + staleSeconds * 1000 };
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

/** Ignores the keys of other algorithms, and those that are not valid (RFC 7517 §5). */
async function importKeys(
  set: { readonly keys?: unknown },
  alg: SigningAlgorithm,
): Promise<Map<string, CryptoKey>> {
  if (!Array.isArray(set.keys)) throw new Error('The JWKS has no keys.');
  const imported = new Map<string, CryptoKey>();
  for (const one of set.keys.slice(0, keysMax)) {
    const jwk: JWK = Object(one);
    const key = publicKeyOf(jwk, alg);
    if (key === undefined || typeof jwk.kid !== 'string') continue;
    const valid = await importJWK(key, alg).catch(() => undefined);
    if (valid !== undefined) imported.set(jwk.kid, valid as CryptoKey);
  }
  return imported;
}
