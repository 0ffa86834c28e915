// A token verifier as HTTP and JOSE specify it: it caches the JWKS for exactly its max-age, and
// does not fetch it earlier for an unknown key.
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';

type Cached = {
  readonly jwks: JSONWebKeySet;
  readonly etag: string;
  readonly staleTime: number;
};

export type VerifierOptions = {
  /** The URLs of the JWKS, used in turn. */
  readonly origins: readonly string[];
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export class CachingVerifier {
  fetched = 0;
  unchanged = 0;
  readonly #options: VerifierOptions;
  #cached: Cached | undefined;

  constructor(options: VerifierOptions) {
    this.#options = options;
  }

  /** Drops the cached JWKS, like a process that restarts. */
  restart(): void {
    this.#cached = undefined;
  }

  /** Returns the `kid`; throws if the token is invalid. */
  async verify(token: string): Promise<string | undefined> {
    const { issuer, now } = this.#options;
    if (this.#cached === undefined || this.#cached.staleTime <= now()) {
      this.#cached = await this.#fetch(this.#cached);
    }
    await jwtVerify(token, createLocalJWKSet(this.#cached.jwks), {
      algorithms: ['EdDSA'],
      typ: 'at+jwt',
      issuer,
      currentDate: new Date(now()),
      clockTolerance: 0,
    });
    return decodeProtectedHeader(token).kid;
  }

  async #fetch(before: Cached | undefined): Promise<Cached> {
    const { origins, now } = this.#options;
    const origin = origins[this.fetched++ % origins.length] ?? '';
    const headers: Record<string, string> =
      before === undefined ? {} : { 'if-none-match': before.etag };
    const response = await fetch(`${origin}/.well-known/jwks.json`, { headers });
    const [, seconds] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
    const staleTime = now() + Number(seconds) * 1000;
    if (response.status === 304 && before !== undefined) {
      this.unchanged++;
      return { ...before, staleTime };
    }
    const jwks = (await response.json()) as JSONWebKeySet;
    return { jwks, etag: response.headers.get('etag') ?? '', staleTime };
  }
}
