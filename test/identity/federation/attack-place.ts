// A service that trusts an issuer, for attacks on it.
import { sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base64url, type JWTPayload } from 'jose';
import { expect } from 'vitest';
import type { KeyPair } from '../../support/client-keys.ts';
import {
  type FakeIssuer,
  gitHubClaims,
  sendJson,
  startFakeIssuer,
} from '../../support/fake-issuer.ts';
import { callFederation, clientOf, requestToken } from '../../support/federation.ts';
import { startTestApp } from '../../support/harness.ts';
import type { Outcomes } from '../../support/rule.ts';

export type Attempt = {
  readonly assertion: string;
  /** By default the client of the issuer. */
  readonly clientId?: string;
};

export type AttackPlace = Awaited<ReturnType<typeof startAttackPlace>>;

/** The attacks, by the reason in the audit log. */
export type Attacks = Outcomes<(place: AttackPlace) => Promise<Attempt> | Attempt>;

type Changed = { readonly [name: string]: unknown };

const subject = 'repo:octo-org/octo-*:environment:production';
const claims = { ref: 'refs/heads/main' };

export const encode = (value: unknown) =>
  base64url.encode(typeof value === 'string' ? value : JSON.stringify(value));

export async function startAttackPlace() {
  const testApp = await startTestApp({ config: { egressNetworks: ['127.0.0.1'] } });
  const { publicUrl } = testApp.app;
  const issuer = await startFakeIssuer();
  const issuers = [issuer];
  const bait = await startBait(issuer);
  const payload = (changed: Changed = {}) =>
    ({ ...gitHubClaims(issuer.url, publicUrl), ...changed }) as JWTPayload;

  async function trust(fields: object): Promise<string> {
    const answer = await callFederation(testApp, 'POST', '/trusted-issuers', fields);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return String(answer.body.id);
  }
  const issuerId = await trust({ issuer: issuer.url });
  const clientId = await clientOf(testApp, issuerId, subject, claims);
  const request = ({ assertion, clientId: id = clientId }: Attempt) =>
    requestToken(publicUrl, id, assertion);
  const place = {
    ...{ testApp, publicUrl, issuer, issuerId, clientId, bait, trust, payload, request },
    addClient: (issuer: string, pattern = subject) => clientOf(testApp, issuer, pattern, claims),

    /** A token with changed claims. Undefined ones are left out. */
    signed: async (
      changed: Changed,
      header = {},
      key?: KeyPair['privateKey'],
    ): Promise<Attempt> => ({
      assertion: await issuer.sign(payload(changed), header, key),
    }),

    /** Signs texts that no library would write. */
    signedTexts(header: string, body: string): Attempt {
      const input = `${encode(header)}.${encode(body)}`;
      const bytes = sign('sha256', Buffer.from(input), issuer.pair.privateKey);
      return { assertion: `${input}.${bytes.toString('base64url')}` };
    },

    async startIssuer(): Promise<FakeIssuer> {
      const made = await startFakeIssuer();
      issuers.push(made);
      return made;
    },

    async stop() {
      await Promise.all(issuers.map((one) => one.close()));
      bait.close();
      await testApp.remove();
    },
  };
  return place;
}

/** A server with valid keys that the service must never ask. */
async function startBait(issuer: FakeIssuer) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    sendJson(issuer.jwks())(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { requests, port, url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
