// Binds tokens to the keys of their holders (RFC 9449, RFC 8705 §3), and checks that the caller
// with a bound token has the key.
import type { TokenCarrier } from '../../api/authentication.ts';
import type { Call } from '../../api/call.ts';
import { dpopChallenge } from '../../base/errors/challenge.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import type { Claims, KeyBinding } from './claims.ts';
import { assertionAlgorithms } from './client-jwk.ts';
import type { DpopProofs, Proof, ProofProblem } from './dpop-proofs.ts';

export type TokenBinding = {
  /**
   * Returns the key to which the token of a request is bound. Throws `identity.invalid_dpop_proof`
   * or `identity.dpop_nonce_required`.
   */
  choose(call: Call, request: BindingRequest): Promise<KeyBinding | undefined>;
  /** Throws `unauthenticated` unless the caller of this API has the key of the token. */
  requireKey(claims: Claims, presented: PresentedToken): Promise<void>;
};

export type BindingRequest = {
  /** The path of the endpoint. Its URL is the `htu` of a proof over every transport. */
  readonly path: '/tokens' | '/tokens/api-key';
  /** The id of the authenticated client or API key. */
  readonly callerId: string;
  /** Whether a token without a key is refused. */
  readonly requiresKey: boolean;
};

export type PresentedToken = {
  readonly token: string;
  readonly call: TokenCarrier;
  /** Whether the scheme of the credential is DPoP (RFC 9449 §7.1), not Bearer. */
  readonly isDpop: boolean;
};

export type TokenBindingOptions = {
  readonly proofs: DpopProofs;
  /** The origin of the service. */
  readonly publicUrl: string;
};

export const proofAlgorithms: readonly string[] = assertionAlgorithms;

export function createTokenBinding({ proofs, publicUrl }: TokenBindingOptions): TokenBinding {
  /** A call is checked again while its request arrives or its response is sent, with one proof. */
  const checked = new WeakMap<TokenCarrier, Promise<Proof | ProofProblem>>();

  async function byProof(
    proof: string,
    call: Call,
    { path, callerId }: BindingRequest,
  ): Promise<KeyBinding> {
    const found = await proofs.verifyWithNonce({ proof, method: 'POST', url: publicUrl + path });
    const nonce = { 'dpop-nonce': proofs.makeNonce() };
    if ('jkt' in found) {
      for (const [name, value] of Object.entries(nonce))
        call.context.responseHeader.set(name, value);
      return { jkt: found.jkt };
    }
    if (found.needsNonce) {
      throw fail('identity.dpop_nonce_required', 'The DPoP proof has no current nonce.', {
        headers: nonce,
      });
    }
    throw refuseRequest(`The DPoP proof ${found.problem}.`, callerId, nonce);
  }

  function requireProof({ token, call, isDpop }: PresentedToken, jkt: string) {
    const proof = call.header('dpop');
    if (!isDpop || proof === undefined) {
      throw refuse('The token is bound to a key: use the scheme DPoP, with a proof.');
    }
    const known = checked.get(call);
    if (known !== undefined) return known;
    const { origin = publicUrl, context } = call;
    const { requestMethod: method, url } = context;
    const address = new URL(new URL(url, origin).pathname, origin).href;
    const checking = proofs.verify({ proof, method, url: address, token, jkt });
    checked.set(call, checking);
    return checking;
  }

  return {
    async choose(call, request) {
      const proof = call.header('dpop');
      if (proof !== undefined) return byProof(proof, call, request);
      if (!request.requiresKey) return undefined;
      const certificate = call.clientCertificate();
      if (certificate === undefined) {
        const detail = 'The client needs a DPoP proof or a client certificate.';
        throw refuseRequest(detail, request.callerId);
      }
      return { 'x5t#S256': certificate.sha256 };
    },

    async requireKey({ cnf }, presented) {
      if (cnf?.['x5t#S256'] !== undefined) {
        const certificate = presented.call.clientCertificate();
        if (!presented.isDpop && certificate?.sha256 === cnf['x5t#S256']) return;
        throw refuse('The token is bound to another client certificate.');
      }
      if (cnf?.jkt === undefined) throw refuse('The token is not bound to a key: use Bearer.');
      const found = await requireProof(presented, cnf.jkt);
      if ('problem' in found) {
        throw refuse(`The DPoP proof ${found.problem}.`, 'invalid_dpop_proof');
      }
    },
  };
}

function refuseRequest(detail: string, target: string, headers = {}): Failure {
  return fail('identity.invalid_dpop_proof', detail, { target, headers, reason: detail });
}

function refuse(detail: string, error = 'invalid_token'): Failure {
  const challenge = dpopChallenge(error, proofAlgorithms);
  return fail('unauthenticated', detail, { challenge, reason: detail });
}

/** Whether a caller of another service has the key of the token. */
export async function hasKey(
  proofs: Pick<DpopProofs, 'verify'>,
  { cnf }: Claims,
  { token, dpopProof, httpMethod, httpUrl, certificateSha256 }: PresentedKey,
): Promise<boolean> {
  if (dpopProof === '' && cnf?.jkt === undefined) {
    return cnf === undefined || cnf['x5t#S256'] === certificateSha256;
  }
  if (dpopProof === '' || cnf?.jkt === undefined) return false;
  const request = { proof: dpopProof, method: httpMethod, url: httpUrl, token, jkt: cnf.jkt };
  return 'jkt' in (await proofs.verify(request));
}

type PresentedKey = {
  readonly token: string;
  readonly dpopProof: string;
  readonly httpMethod: string;
  readonly httpUrl: string;
  readonly certificateSha256: string;
};
