// An issuer of tokens for workloads, whose answers a test chooses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTPayload, SignJWT } from 'jose';
import { jwkOf, type KeyPair, keyPairs } from './client-keys.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export type FakeIssuer = {
  /** Its `iss`, an address on this machine. */
  readonly url: string;
  /** The key with which it signs. */
  pair: KeyPair;
  kid: string;
  readonly alg: 'RS256' | 'ES256' | 'EdDSA' | 'PS256';
  /** The paths that were requested. */
  readonly requests: string[];
  /** Replaces the answer of a path. */
  readonly answers: Map<string, Answer>;
  jwks(): { keys: object[] };
  /** Signs a token with the key of the issuer. */
  sign(claims: JWTPayload, header?: object, key?: KeyPair['privateKey']): Promise<string>;
  /** Replaces the key. */
  rotate(kid: string): void;
  close(): Promise<void>;
};

export const discoveryPath = '/.well-known/openid-configuration';
export const jwksPath = '/jwks';

export const sendJson =
  (value: unknown, status = 200): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof value === 'string' ? value : JSON.stringify(value));
  };

export async function startFakeIssuer(alg: FakeIssuer['alg'] = 'RS256'): Promise<FakeIssuer> {
  const requests: string[] = [];
  const answers = new Map<string, Answer>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const answer = answers.get(path);
    if (answer !== undefined) answer(request, response);
    else if (path === discoveryPath) {
      sendJson({ issuer: url, jwks_uri: `${url}${jwksPath}` })(request, response);
    } else if (path === jwksPath) sendJson(issuer.jwks())(request, response);
    else sendJson({}, 404)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: FakeIssuer = {
    url,
    ...{ pair: keyPairs[alg](), kid: 'first', alg, requests, answers },
    jwks: () => ({ keys: [{ ...jwkOf(issuer.pair), kid: issuer.kid, alg, use: 'sig' }] }),
    sign: (claims, header = {}, key = issuer.pair.privateKey) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid: issuer.kid, ...header }).sign(key),
    rotate(kid) {
      issuer.pair = keyPairs[alg]();
      issuer.kid = kid;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return issuer;
}

const seconds = () => Math.floor(Date.now() / 1000);

/** The claims of a token of GitHub Actions, for a workflow on the main branch. */
export function gitHubClaims(iss: string, aud: string): JWTPayload {
  const now = seconds();
  return {
    ...{ iss, aud, jti: 'example-id', iat: now, nbf: now - 600, exp: now + 300 },
    sub: 'repo:octo-org/octo-repo:environment:production',
    ...{ ref: 'refs/heads/main', repository: 'octo-org/octo-repo', environment: 'production' },
    ...{ repository_owner: 'octo-org', repository_owner_id: '65', repository_id: '74' },
    ...{ actor: 'octocat', actor_id: '12', run_id: '7', run_number: '10', run_attempt: '2' },
    ...{ workflow: 'deploy', event_name: 'workflow_dispatch', ref_type: 'branch', head_ref: '' },
    job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main',
  };
}

/** The claims of a projected token of a Kubernetes service account. */
export function kubernetesClaims(iss: string, aud: string): JWTPayload {
  const now = seconds();
  return {
    ...{ iss, aud: [aud], iat: now, nbf: now, exp: now + 3_600 },
    jti: '1b6e5d0f-63a5-4f59-a90c-b3c1b2a4a4d3',
    sub: 'system:serviceaccount:production:payments',
    'kubernetes.io': {
      namespace: 'production',
      node: { name: 'node-1', uid: '0ab9a5a4' },
      pod: { name: 'payments-7c9', uid: 'c6b1d0a7' },
      serviceaccount: { name: 'payments', uid: '61fd5ecd' },
    },
  };
}

/** The claims of a JWT-SVID of SPIRE with a configured `jwt_issuer`. */
export function spiffeClaims(iss: string, aud: string): JWTPayload {
  const now = seconds();
  return {
    ...{ iss, aud: [aud], iat: now, exp: now + 300 },
    sub: 'spiffe://example.org/ns/production/sa/payments',
  };
}
