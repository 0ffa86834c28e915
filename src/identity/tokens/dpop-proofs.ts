// Verifies DPoP proofs (RFC 9449 §4.3): JWTs that a caller signs for one request, to show that it
// has the key to which its token is bound.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { SignedValues } from '../../base/crypto/signed-value.ts';
import { decodeStrictJwt, findSigner } from './assertion.ts';
import { type ClientPublicKey, openJwk, readPublicJwk } from './client-jwk.ts';
import type { UseOnce } from './single-use.ts';

export type ProvenRequest = {
  readonly proof: string;
  readonly method: string;
  readonly url: string;
  /** The token that comes with the proof. Undefined for a token request. */
  readonly token?: string;
  /** The thumbprint of the key to which the token is bound. */
  readonly jkt?: string | undefined;
};

export type ProofProblem = {
  /** In fixed words. */
  readonly problem: string;
  /** Whether a new nonce solves the problem. */
  readonly needsNonce?: true;
};

export type Proof = { readonly jkt: string };

export type DpopProofs = {
  /** Returns the thumbprint of the key (RFC 7638). A valid proof is accepted once. */
  verify(request: ProvenRequest): Promise<Proof | ProofProblem>;
  /** Does the same for a token request, whose proof must have a nonce of this service. */
  verifyWithNonce(request: ProvenRequest): Promise<Proof | ProofProblem>;
  makeNonce(): string;
};

export type DpopProofOptions = {
  readonly useOnce: UseOnce;
  readonly nonces: SignedValues<true>;
  readonly now: Clock;
};

/** How old and how far in the future a proof may be, in seconds. */
const ageSecondsMax = 60;
const aheadSecondsMax = 30;

const nonceSeconds = 300;
const proofLengthMax = 8_192;
const jtiLengthMax = 256;

/** How many keys of recent proofs stay imported. An import takes longer than a verification. */
const knownKeysMax = 1_000;

type ProofKey = ClientPublicKey & { readonly thumbprint: string };

export function createDpopProofs({ useOnce, nonces, now }: DpopProofOptions): DpopProofs {
  /** By the JSON of the `jwk` header. */
  const knownKeys = new LRUCache<string, ProofKey>({ max: knownKeysMax });

  async function verify(request: ProvenRequest, requiresNonce: boolean) {
    const { proof } = request;
    if (proof.length > proofLengthMax) return { problem: 'is too long' };
    const decoded = decodeStrictJwt(proof);
    if (typeof decoded === 'string') return { problem: decoded };
    const { header, payload } = decoded;
    if (header.typ !== 'dpop+jwt') return { problem: 'does not have the typ dpop+jwt' };
    const jwkText = JSON.stringify(header.jwk) ?? '';
    const key = knownKeys.get(jwkText) ?? readKey(header.jwk);
    if (key === undefined) return { problem: 'has no valid public jwk' };
    if (!key.algorithms.some((name) => name === header.alg)) {
      return { problem: 'has an alg that is not supported or does not match its key' };
    }
    const algorithms = key.algorithms.filter((name) => name === header.alg);
    if ((await findSigner({ text: proof }, [{ ...key, algorithms }])) === undefined) {
      return { problem: 'has an invalid signature' };
    }
    knownKeys.set(jwkText, key);
    const problem = findProblem(payload, request, now() / 1000);
    if (problem !== undefined) return { problem };
    if (requiresNonce && nonces.verify(textOf(payload.nonce), '') === undefined) {
      return { problem: 'has no current nonce', needsNonce: true as const };
    }
    const { jti = '', iat = 0 } = payload;
    const { thumbprint: jkt } = key;
    // Before the proof counts as used: without the key, a stolen token writes nothing.
    if (request.jkt !== undefined && request.jkt !== jkt) {
      return { problem: 'has another key than the token' };
    }
    const expireTime = (iat + ageSecondsMax) * 1000;
    return (await useOnce(['dpop', jkt, jti], expireTime))
      ? { jkt }
      : { problem: 'was used before' };
  }

  return {
    verify: (request) => verify(request, false),
    verifyWithNonce: (request) => verify(request, true),
    makeNonce: () => nonces.sign(true, nonceSeconds, ''),
  };
}

function readKey(jwk: unknown): ProofKey | undefined {
  const checked = readPublicJwk(jwk);
  return checked && { ...openJwk(checked.jwk), thumbprint: checked.thumbprint };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

function findProblem(
  payload: Readonly<Record<string, unknown>>,
  { method, url, token }: ProvenRequest,
  now: number,
): string | undefined {
  const { htm, htu, iat, jti, ath } = payload;
  if (htm !== method) return 'is for another method';
  const [expected, given] = [readUrl(url), readUrl(htu)];
  if (expected === undefined || given?.pathname !== expected.pathname) return 'is for another URL';
  // A client usually has this from its own configuration: the address of a proxy, or localhost.
  if (given.origin !== expected.origin) return `is for another origin than ${expected.origin}`;
  if (typeof iat !== 'number' || !(iat > now - ageSecondsMax && iat < now + aheadSecondsMax)) {
    return 'has no current iat';
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > jtiLengthMax) {
    return `has no jti of 1 to ${jtiLengthMax} characters`;
  }
  if (token !== undefined && ath !== createHash('sha256').update(token).digest('base64url')) {
    return 'is for another token';
  }
  return undefined;
}

const readUrl = (url: unknown) =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
