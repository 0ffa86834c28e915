// Verifies tokens with the published keys, without asking the server for each of them.
import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { factsOf, type SigningAlgorithm } from './algorithms.ts';
import { readClaims, type TokenClaims } from './claims.ts';
import { invalidToken, noCredential, unavailable, VerifyError } from './errors.ts';
import { remoteKeys } from './keys.ts';
import { createProofMemory, findKeyProblem, type PresentedToken, type UseOnce } from './proofs.ts';

export type VerifierOptions = {
  /** The public URL of Latchkey, exactly as in the claim `iss`. */
  readonly issuer: string;
  /** The accepted `aud`. By default the issuer, as on the server. */
  readonly audience?: string;
  /** The `signing_alg` of the audience. Tokens of every other are refused. Default `EdDSA`. */
  readonly signingAlg?: SigningAlgorithm;
  /** By default `<issuer>/.well-known/jwks.json`. */
  readonly jwksUrl?: string;
  /** How far the clocks may differ, from 0 to 60. Default 0: a token ends exactly at `exp`. */
  readonly clockToleranceSeconds?: number;
  /** How long cached keys are used while they cannot be fetched, up to a day. Default 3600. */
  readonly staleSeconds?: number;
  /** Permits HTTP without TLS to other machines. Anyone on the way could replace the keys. */
  readonly allowInsecureHttp?: boolean;
  /**
   * The origin of your service as its callers know it, such as `https://payments.example.com`. The
   * middleware needs it to check DPoP proofs. Without it, tokens that need a proof are refused.
   */
  readonly baseUrl?: string;
  /** Returns whether a DPoP proof is new. By default, each process remembers the proofs it gets. */
  readonly useOnce?: UseOnce;
  /** Milliseconds since 1970. For tests. */
  readonly now?: () => number;
};

export type Verifier = {
  /**
   * Returns the claims of a valid token. Throws a VerifyError: `unauthenticated` if it is not
   * valid, `unavailable` if the keys cannot be fetched. It does not see revocation before `exp`. A
   * token that is bound to a key is refused: use `verifyRequest`.
   */
  verify(token: string): Promise<TokenClaims>;
  /** The same for the value of an `Authorization` header. */
  verifyHeader(authorization: string | null | undefined): Promise<TokenClaims>;
  /** Does the same for a request. Also accepts a bound token if the caller has its key. */
  verifyRequest(presented: PresentedToken): Promise<TokenClaims>;
  /** The option `baseUrl`. */
  readonly baseUrl: string | undefined;
};

const tokenLengthMax = 16_384;
// The characters of RFC 6750 §2.1.
const credential = /^(?:Bearer|DPoP) +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** Throws a TypeError if an option cannot work. No request is sent before the first token. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { issuer, audience = issuer, signingAlg: alg = 'EdDSA', now = Date.now } = options;
  const { token: form } = factsOf(alg);
  const clockTolerance = within(options.clockToleranceSeconds ?? 0, 60, 'clockToleranceSeconds');
  const staleSeconds = within(options.staleSeconds ?? 3600, 86_400, 'staleSeconds');
  const fallback = `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`;
  const url = options.jwksUrl ?? fallback;
  requireSafe(url, options.allowInsecureHttp ?? false);
  const keys = remoteKeys({ url, alg, staleSeconds, now });

  async function keyOf(kid: string) {
    try {
      return await keys.find(kid);
    } catch (error) {
      throw unavailable(error);
    }
  }

  const useOnce = options.useOnce ?? createProofMemory(now);

  async function verifySigned(token: string): Promise<TokenClaims> {
    const key = await keyOf(kidOf(token, alg, form));
    if (key === undefined) throw invalidToken('The key is not published.');
    const { payload } = await jwtVerify(token, key, {
      algorithms: [alg],
      typ: 'at+jwt',
      issuer,
      audience,
      requiredClaims: ['exp', 'iat'],
      clockTolerance,
      currentDate: new Date(now()),
    }).catch((error: unknown) => {
      throw invalidToken(error);
    });
    const claims = readClaims(payload);
    if (claims === undefined) throw invalidToken('The claims are not those of Latchkey.');
    // A verifier never returns a token of the future: its clock or that of the server is wrong.
    if (claims.iat * 1000 > now() + 60_000) throw invalidToken('The token is not valid yet.');
    return claims;
  }

  async function verifyWithKey(token: string, presented: PresentedToken): Promise<TokenClaims> {
    const claims = await verifySigned(token);
    const problem = await findKeyProblem(claims, token, presented, { useOnce, now }).catch(
      (error: unknown) => {
        throw invalidToken(error);
      },
    );
    if (problem !== undefined) throw invalidToken(problem);
    return claims;
  }

  async function verifyRequest(presented: PresentedToken): Promise<TokenClaims> {
    const { authorization } = presented;
    // Another scheme counts as no credential (RFC 6750 §3.1).
    if (!authorization || !/^(?:Bearer|DPoP) /i.test(authorization)) throw noCredential();
    const [, token] = credential.exec(authorization) ?? [];
    if (token === undefined) throw invalidToken('The header is not a token.');
    return verifyWithKey(token, presented);
  }

  return {
    baseUrl: options.baseUrl,
    verify: (token) => verifyWithKey(token, { authorization: undefined }),
    verifyHeader: (authorization) => verifyRequest({ authorization }),
    verifyRequest,
  };
}

/** The key's id, without any other use of the unverified header. */
function kidOf(token: string, signingAlg: SigningAlgorithm, form: RegExp): string {
  if (token.length > tokenLengthMax) throw invalidToken('The token is too long.');
  if (!form.test(token)) throw invalidToken('The text is not a token of Latchkey.');
  try {
    const { kid, alg, typ } = decodeProtectedHeader(token);
    // Checked before the keys are asked: a foreign token must not cause a fetch.
    if (alg !== signingAlg || typ !== 'at+jwt' || typeof kid !== 'string') {
      throw new errors.JOSEAlgNotAllowed('The header is not that of a token of Latchkey.');
    }
    return kid;
  } catch (error) {
    if (error instanceof VerifyError) throw error;
    throw invalidToken(error);
  }
}

function within(value: number, max: number, name: string): number {
  if (value >= 0 && value <= max) return value;
  throw new TypeError(`${name} must be from 0 to ${max}.`);
}

function requireSafe(url: string, allowInsecureHttp: boolean): void {
  const { protocol, hostname } = new URL(url);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:') return;
  if (protocol === 'http:' && (isLoopback || allowInsecureHttp)) return;
  throw new TypeError('The JWKS must be fetched over https. See allowInsecureHttp.');
}
