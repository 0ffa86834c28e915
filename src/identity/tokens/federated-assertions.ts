// Verifies the tokens of trusted issuers with which workloads authenticate as clients. They need no
// `jti`, and are accepted until they expire: platforms such as GitHub and Kubernetes give a
// workload one token for several requests.
import type { JWTPayload } from 'jose';
import type { Clock } from '../../base/clock.ts';
import { matchesPattern } from '../../credentials/claim-patterns.ts';
import type { TrustedIssuer, TrustedIssuers } from '../trusted-issuers/issuers.ts';
import type { FederatedIdentity, FindAssertingClient, ProvenClient } from './asserting-clients.ts';
import {
  type Assertion,
  aheadSecondsMax,
  findSigner,
  findTimeProblem,
  refuseAssertion,
  selectKeys,
} from './assertion.ts';
import type { ClientPublicKey } from './client-jwk.ts';

export type FederatedAssertionOptions = {
  readonly issuers: TrustedIssuers<ClientPublicKey>;
  /** Reads the keys of an issuer again, unless that happened a moment ago. */
  readonly refresh: (issuerId: string) => Promise<void>;
  readonly findClient: FindAssertingClient;
  readonly now: Clock;
};

/** An assertion may live this long, in seconds. */
const secondsMax = 3_600;

type Issuer = TrustedIssuer<ClientPublicKey>;

export function createFederatedVerifier(options: FederatedAssertionOptions) {
  const { issuers, refresh, findClient, now } = options;

  async function verify(assertion: Assertion, clientId: string): Promise<ProvenClient> {
    const { iss } = assertion.payload;
    let isKnown = false;
    const refuse = (reason: string) => refuseAssertion(reason, clientId, isKnown);
    const named = iss !== undefined ? await issuers.find(iss) : [];
    if (named.length === 0) throw refuse('No trusted issuer has the iss of the assertion.');
    if (clientId === '') throw refuse('A token of a trusted issuer requires a client_id.');
    const found = await findClient(clientId);
    if (found === undefined) throw refuse('The client is disabled or does not exist.');
    isKnown = true;
    const { client, identities } = found;
    const own = named.filter(({ id }) => identities.some(({ issuerId }) => issuerId === id));
    if (own.length === 0) throw refuse('The client has no federated identity of the issuer.');
    const enabled = own.filter((issuer) => issuer.enabled);
    if (enabled.length === 0) throw refuse('The trusted issuer is disabled.');
    const problems = new Map<string, string | undefined>();
    for (const identity of identities) {
      const issuer = enabled.find(({ id }) => id === identity.issuerId);
      if (issuer === undefined) continue;
      if (!problems.has(issuer.id)) {
        problems.set(issuer.id, await findProblem(assertion, issuer));
      }
      if (problems.get(issuer.id) === undefined && matches(identity, assertion.payload)) {
        return { client, credentialId: identity.id };
      }
    }
    const [problem = 'No federated identity of the client matches the assertion.'] =
      problems.values();
    throw refuse(problem);
  }

  /**
   * Returns why the assertion is not a valid token of the issuer for this service, or undefined.
   */
  async function findProblem(assertion: Assertion, issuer: Issuer): Promise<string | undefined> {
    const problem = findClaimProblem(assertion.payload, issuer, now() / 1000);
    if (problem !== undefined) return problem;
    const keys = await findKeys(assertion, issuer);
    if (keys.length === 0) return 'The issuer has no such key for the algorithm.';
    if (assertion.header.kid === undefined && keys.length > 1) {
      return 'The assertion does not name its key.';
    }
    const signer = await findSigner(assertion, keys);
    return signer === undefined ? 'The signature is not valid.' : undefined;
  }

  /** A key that is not known may be new. */
  async function findKeys(
    assertion: Assertion,
    issuer: Issuer,
  ): Promise<readonly ClientPublicKey[]> {
    const { kid } = assertion.header;
    const isKnown = issuer.keys.some(({ names }) => kid === undefined || names.includes(kid));
    if (isKnown || issuer.isPinned) return selectKeys(assertion, issuer.keys);
    await refresh(issuer.id);
    const current = await issuers.find(assertion.payload.iss ?? '');
    const refreshed = current.find(({ id, enabled }) => enabled && id === issuer.id);
    return selectKeys(assertion, refreshed?.keys ?? []);
  }

  return verify;
}

function findClaimProblem(
  payload: JWTPayload,
  { audience }: Issuer,
  now: number,
): string | undefined {
  const { aud, sub, iat, exp = 0 } = payload;
  // With other audiences, their services could use the assertion here.
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (named.length !== 1 || named[0] !== audience) {
    return 'The aud of the assertion is not the audience of the issuer alone.';
  }
  if (sub === undefined || sub === '') return 'The assertion has no sub.';
  const problem = findTimeProblem(payload, secondsMax + aheadSecondsMax, now);
  if (problem !== undefined) return problem;
  return exp - (iat ?? now) > secondsMax ? 'The assertion lives longer than an hour.' : undefined;
}

function matches({ subject, claims }: FederatedIdentity, payload: JWTPayload): boolean {
  return (
    matchesPattern(subject, payload.sub ?? '') &&
    Object.entries(claims).every(([name, pattern]) => {
      const text = Object.hasOwn(payload, name) ? textOf(payload[name]) : undefined;
      return text !== undefined && matchesPattern(pattern, text);
    })
  );
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined;
}
