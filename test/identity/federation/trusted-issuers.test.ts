// Issuers whose tokens authenticate clients: GitHub, Kubernetes and SPIFFE.
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientAssertionType, keyScope } from '../../support/client-keys.ts';
import {
  type FakeIssuer,
  gitHubClaims,
  kubernetesClaims,
  spiffeClaims,
  startFakeIssuer,
} from '../../support/fake-issuer.ts';
import { addIdentity, callFederation, clientOf, requestToken } from '../../support/federation.ts';
import { startTestApp } from '../../support/harness.ts';
import { startOidcProvider } from '../../support/oidc-provider.ts';
import { addClient, updateRow } from '../../support/owner-rows.ts';
import { useStarted } from '../../support/use-started.ts';
import { expectWithinOneSecond } from '../../support/within-one-second.ts';

type Issuer = {
  readonly id: string;
  readonly key_ids: readonly string[];
  readonly refresh_time?: string;
  readonly refresh_error: string;
};

describe('a token of a trusted issuer', () => {
  const testApp = useStarted(() => {
    const config = { egressNetworks: ['127.0.0.0/8'] };
    return startTestApp({ config, now: () => now() });
  });
  let now: () => number = Date.now;

  const startIssuer = async (alg?: FakeIssuer['alg']) => {
    const issuer = await startFakeIssuer(alg);
    onTestFinished(() => issuer.close());
    return issuer;
  };
  async function trust(fields: object): Promise<Issuer> {
    const { status, body } = await callFederation<Issuer>(
      testApp,
      'POST',
      '/trusted-issuers',
      fields,
    );
    expect(body, JSON.stringify(body)).toMatchObject({ enabled: true });
    expect(status).toBe(201);
    return body;
  }
  const read = async (id: string) =>
    (await callFederation<Issuer>(testApp, 'GET', `/trusted-issuers/${id}`)).body;
  const publicUrl = () => testApp.app.publicUrl;

  it('replaces a secret several times, without a request to the issuer', async () => {
    const issuer = await startIssuer();
    const { id } = await trust({ issuer: issuer.url, name: 'GitHub' });
    await expect.poll(() => read(id)).toMatchObject({ key_ids: ['first'], refresh_error: '' });
    const subject = 'repo:octo-org/*:environment:production';
    const clientId = await clientOf(testApp, id, 'repo:octo-org/other', {});
    const path = `/clients/${clientId}/federated-identities`;
    const claims = { repository_owner_id: '65', ref: 'refs/heads/*' };
    const added = await callFederation(testApp, 'POST', path, { issuer_id: id, subject, claims });
    expect(added).toMatchObject({ status: 200, body: { client_id: clientId, subject, claims } });
    const token = await issuer.sign(gitHubClaims(issuer.url, publicUrl()));
    expect(issuer.requests).toHaveLength(2);
    for (let i = 0; i < 20; i++) {
      const { status, body } = await requestToken(publicUrl(), clientId, token);
      expect(body).toMatchObject({ scope: keyScope, token_type: 'Bearer' });
      expect(status).toBe(200);
    }
    expect(issuer.requests).toHaveLength(2);
    const identityId = String(added.body.id);
    expect(await callFederation(testApp, 'DELETE', `${path}/${identityId}`)).toMatchObject({
      status: 200,
    });
    expect(await requestToken(publicUrl(), clientId, token)).toMatchObject({ status: 401 });
  });

  it('is accepted at once with a new key, which is read once in 30 seconds at most', async () => {
    const issuer = await startIssuer('ES256');
    const { id } = await trust({ issuer: issuer.url });
    await expect.poll(() => read(id)).toMatchObject({ key_ids: ['first'] });
    const clientId = await clientOf(testApp, id, 'system:serviceaccount:production:payments');
    const sign = () => issuer.sign(kubernetesClaims(issuer.url, publicUrl()));
    const request = async () => (await requestToken(publicUrl(), clientId, await sign())).status;
    expect(await request()).toBe(200);
    const asked = issuer.requests.length;
    issuer.rotate('second');
    // The keys were read a moment ago.
    expect(await Promise.all([request(), request(), request()])).toEqual([401, 401, 401]);
    expect(issuer.requests).toHaveLength(asked);
    const offset = 31_000;
    now = () => Date.now() + offset;
    onTestFinished(() => {
      now = Date.now;
    });
    expect(await Promise.all([request(), request(), request()])).toEqual([200, 200, 200]);
    expect(issuer.requests).toHaveLength(asked + 2);
    issuer.rotate('third');
    expect(await request()).toBe(401);
    expect(issuer.requests).toHaveLength(asked + 2);
    expect((await read(id)).key_ids).toEqual(['second']);
  });

  it('is accepted with pinned keys, without any request', async () => {
    const issuer = await startIssuer('EdDSA');
    const iss = 'https://kubernetes.default.svc.cluster.local';
    const keys = issuer.jwks().keys.map((key) => ({ ...key, use: 'jwt-svid', x5c: ['AAAA'] }));
    const x509 = { ...keys[0], kid: 'x509', use: 'x509-svid' };
    const { id, key_ids } = await trust({
      ...{ issuer: iss, audience: 'latchkey', jwks: { keys: [...keys, x509] } },
    });
    expect(key_ids).toEqual(['first']);
    const clientId = await clientOf(testApp, id, 'spiffe://example.org/ns/*/sa/payments');
    const token = await issuer.sign(spiffeClaims(iss, 'latchkey'));
    expect(await requestToken(publicUrl(), clientId, token)).toMatchObject({ status: 200 });
    expect(issuer.requests).toEqual([]);
  });

  it('of two clusters with the same iss authenticates the client of its cluster only', async () => {
    const iss = 'https://kubernetes.default.svc.cluster.local';
    const subject = 'system:serviceaccount:production:payments';
    const clusters = await Promise.all(
      [1, 2].map(async () => {
        const issuer = await startIssuer();
        const { id } = await trust({ issuer: iss, jwks: issuer.jwks() });
        const clientId = await clientOf(testApp, id, subject);
        return { clientId, token: await issuer.sign(kubernetesClaims(iss, publicUrl())) };
      }),
    );
    const statuses = clusters.flatMap(({ clientId }) =>
      clusters.map(async ({ token }) => (await requestToken(publicUrl(), clientId, token)).status),
    );
    expect(await Promise.all(statuses)).toEqual([200, 401, 401, 200]);
  });

  it('stops working within a second after another process disables the issuer', async () => {
    const issuer = await startIssuer();
    const { id } = await trust({ issuer: 'urn:spiffe', jwks: issuer.jwks() });
    const clientId = await clientOf(testApp, id, 'spiffe://example.org/ns/production/sa/*');
    const token = await issuer.sign(spiffeClaims('urn:spiffe', publicUrl()));
    const status = async () => (await requestToken(publicUrl(), clientId, token)).status;
    expect(await status()).toBe(200);
    await updateRow(testApp.app.inside.db, 'trusted_issuers', id, { enabled: 0 });
    await expectWithinOneSecond(testApp.app.inside.db, status, 401);
    const enabled = { enabled: true };
    await callFederation(testApp, 'PATCH', `/trusted-issuers/${id}`, enabled);
    expect(await status()).toBe(200);
  });

  it('is refused if the issuer could not be read for a day', async () => {
    const issuer = await startIssuer();
    const { id } = await trust({ issuer: issuer.url });
    await expect.poll(() => read(id)).toMatchObject({ key_ids: ['first'] });
    const clientId = await clientOf(testApp, id, 'spiffe://example.org/ns/production/sa/*');
    await issuer.close();
    now = () => Date.now() + 23 * 3_600_000;
    onTestFinished(() => {
      now = Date.now;
    });
    const status = async (later: number) => {
      const claims = spiffeClaims(issuer.url, publicUrl());
      const times = { iat: Number(claims.iat) + later, exp: Number(claims.exp) + later };
      const token = await issuer.sign({ ...claims, ...times });
      return (await requestToken(publicUrl(), clientId, token)).status;
    };
    expect(await status(23 * 3_600)).toBe(200);
    now = () => Date.now() + 25 * 3_600_000;
    expect(await status(25 * 3_600)).toBe(401);
    expect(await read(id)).toMatchObject({
      refresh_error: 'The server refused the connection.',
    });
  });

  it('of oidc-provider is accepted, with the claims of GitHub and of Kubernetes', async () => {
    for (const shape of [gitHubClaims, kubernetesClaims]) {
      const provider = await startOidcProvider(publicUrl(), shape);
      onTestFinished(() => provider.close());
      const { id } = await trust({ issuer: provider.url });
      await expect.poll(() => read(id)).toMatchObject({ refresh_error: '', key_ids: [/./] });
      const { ownerId } = await addClient(testApp.app.inside.db, keyScope);
      const subject = String(shape('', '').sub);
      await addIdentity(testApp.app.inside.db, ownerId, id, subject);
      const token = await provider.token();
      const answer = await requestToken(publicUrl(), ownerId, token);
      expect(answer).toMatchObject({ status: 200 });
      const introspection = await fetch(`${publicUrl()}/oauth2/introspect`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ client_id: ownerId, client_assertion: token, token: 'x' },
          client_assertion_type: clientAssertionType,
        }),
      });
      expect(await introspection.json()).toEqual({ active: false });
    }
  });
});
