// Issuers whose tokens authenticate clients: GitHub, Kubernetes and SPIFFE.
import { expect, it, onTestFinished } from 'vitest';
import { describeApp, type Suite } from '../../support/app-suite.ts';
import { clientAssertionType, issueFor, keyScope } from '../../support/client-keys.ts';
import {
  type FakeIssuer,
  gitHubClaims,
  kubernetesClaims,
  spiffeClaims,
  startFakeIssuer,
} from '../../support/fake-issuer.ts';
import { addIdentity, callFederation, clientOf, requestToken } from '../../support/federation.ts';
import { callForm } from '../../support/json-calls.ts';
import { codeOf, messageOf } from '../../support/manager-calls.ts';
import { describeOneTransport } from '../../support/matrix.ts';
import { startOidcProvider } from '../../support/oidc-provider.ts';
import { addClient, updateRow } from '../../support/owner-rows.ts';
import { expectWithinOneSecond } from '../../support/within-one-second.ts';

type Issuer = {
  readonly id: string;
  readonly key_ids: readonly string[];
  readonly refresh_time?: string;
  readonly refresh_error: string;
};

const startIssuer = async (alg?: FakeIssuer['alg']) => {
  const issuer = await startFakeIssuer(alg);
  onTestFinished(() => issuer.close());
  return issuer;
};

async function trust({ app }: Suite, fields: object): Promise<Issuer> {
  const answer = await callFederation<Issuer>({ app }, 'POST', '/trusted-issuers', fields);
  expect(answer).toMatchObject({ status: 201, body: { enabled: true } });
  return answer.body;
}

const read = async ({ app }: Suite, id: string) =>
  (await callFederation<Issuer>({ app }, 'GET', `/trusted-issuers/${id}`)).body;

const refused = 'identity.credential_invalid';
const config = { egressNetworks: ['127.0.0.0/8'] };

const describeIssuers = (suite: Suite) => {
  describeOneTransport(suite, (name) => {
    const request = async (clientId: string, token: string) =>
      codeOf(await issueFor(suite.transport(name), token, { clientId }));
    const moveClock = (ms: number) => {
      suite.clock.frozen = Date.now() + ms;
      onTestFinished(() => {
        suite.clock.frozen = undefined;
      });
    };

    it('replaces a secret several times, without a request to the issuer', async () => {
      const issuer = await startIssuer();
      const { id } = await trust(suite, { issuer: issuer.url, name: 'GitHub' });
      await expect
        .poll(() => read(suite, id))
        .toMatchObject({ key_ids: ['first'], refresh_error: '' });
      const subject = 'repo:octo-org/*:environment:production';
      const clientId = await clientOf(suite, id, 'repo:octo-org/other', {});
      const path = `/clients/${clientId}/federated-identities`;
      const claims = { repository_owner_id: '65', ref: 'refs/heads/*' };
      const added = await callFederation(suite, 'POST', path, { issuer_id: id, subject, claims });
      expect(added).toMatchObject({ status: 200, body: { client_id: clientId, subject, claims } });
      const token = await issuer.sign(gitHubClaims(issuer.url, suite.app.publicUrl));
      expect(issuer.requests).toHaveLength(2);
      for (let i = 0; i < 20; i++) {
        const answer = await issueFor(suite.transport(name), token, { clientId });
        expect(messageOf(answer)).toMatchObject({ scope: keyScope, tokenType: 'Bearer' });
      }
      expect(issuer.requests).toHaveLength(2);
      const identityId = String(added.body.id);
      expect(await callFederation(suite, 'DELETE', `${path}/${identityId}`)).toMatchObject({
        status: 200,
      });
      expect(await request(clientId, token)).toBe(refused);
    });

    it('is accepted with a new key, read once in 30 seconds, and not with the old', async () => {
      const issuer = await startIssuer('ES256');
      const { id } = await trust(suite, { issuer: issuer.url });
      await expect.poll(() => read(suite, id)).toMatchObject({ key_ids: ['first'] });
      const clientId = await clientOf(suite, id, 'system:serviceaccount:production:payments');
      const sign = () => issuer.sign(kubernetesClaims(issuer.url, suite.app.publicUrl));
      const requestThree = () =>
        Promise.all([1, 2, 3].map(async () => request(clientId, await sign())));
      const old = await sign();
      expect(await request(clientId, old)).toBe('ok');
      const asked = issuer.requests.length;
      issuer.rotate('second');
      // The keys were read a moment ago.
      expect(await requestThree()).toEqual([refused, refused, refused]);
      expect(await request(clientId, old)).toBe('ok');
      expect(issuer.requests).toHaveLength(asked);
      moveClock(31_000);
      expect(await requestThree()).toEqual(['ok', 'ok', 'ok']);
      expect(issuer.requests).toHaveLength(asked + 2);
      expect(await request(clientId, old)).toBe(refused);
      issuer.rotate('third');
      expect(await request(clientId, await sign())).toBe(refused);
      expect(issuer.requests).toHaveLength(asked + 2);
      expect((await read(suite, id)).key_ids).toEqual(['second']);
    });

    it('is refused if the issuer could not be read for a day', async () => {
      const issuer = await startIssuer();
      const { id } = await trust(suite, { issuer: issuer.url });
      await expect.poll(() => read(suite, id)).toMatchObject({ key_ids: ['first'] });
      const clientId = await clientOf(suite, id, 'spiffe://example.org/ns/production/sa/*');
      await issuer.close();
      const requestAfter = async (hours: number) => {
        const seconds = hours * 3_600;
        moveClock(seconds * 1_000);
        const claims = spiffeClaims(issuer.url, suite.app.publicUrl);
        const times = { iat: Number(claims.iat) + seconds, exp: Number(claims.exp) + seconds };
        return request(clientId, await issuer.sign({ ...claims, ...times }));
      };
      expect(await requestAfter(23)).toBe('ok');
      expect(await requestAfter(25)).toBe(refused);
      expect(await read(suite, id)).toMatchObject({
        refresh_error: 'The server refused the connection.',
      });
    });
  });

  it('is accepted with pinned keys, without any request', async () => {
    const issuer = await startIssuer('EdDSA');
    const iss = 'https://kubernetes.default.svc.cluster.local';
    const keys = issuer.jwks().keys.map((key) => ({ ...key, use: 'jwt-svid', x5c: ['AAAA'] }));
    const x509 = { ...keys[0], kid: 'x509', use: 'x509-svid' };
    const { id, key_ids } = await trust(suite, {
      ...{ issuer: iss, audience: 'latchkey', jwks: { keys: [...keys, x509] } },
    });
    expect(key_ids).toEqual(['first']);
    const clientId = await clientOf(suite, id, 'spiffe://example.org/ns/*/sa/payments');
    const token = await issuer.sign(spiffeClaims(iss, 'latchkey'));
    expect(await requestToken(suite.app.publicUrl, clientId, token)).toMatchObject({ status: 200 });
    expect(issuer.requests).toEqual([]);
  });

  it('of two clusters with the same iss authenticates the client of its cluster only', async () => {
    const iss = 'https://kubernetes.default.svc.cluster.local';
    const subject = 'system:serviceaccount:production:payments';
    const clusters = await Promise.all(
      [1, 2].map(async () => {
        const issuer = await startIssuer();
        const { id } = await trust(suite, { issuer: iss, jwks: issuer.jwks() });
        const clientId = await clientOf(suite, id, subject);
        return { clientId, token: await issuer.sign(kubernetesClaims(iss, suite.app.publicUrl)) };
      }),
    );
    const statuses = clusters.flatMap(({ clientId }) =>
      clusters.map(
        async ({ token }) => (await requestToken(suite.app.publicUrl, clientId, token)).status,
      ),
    );
    expect(await Promise.all(statuses)).toEqual([200, 401, 401, 200]);
  });

  it('stops working within a second after another process disables the issuer', async () => {
    const issuer = await startIssuer();
    const { id } = await trust(suite, { issuer: 'urn:spiffe', jwks: issuer.jwks() });
    const clientId = await clientOf(suite, id, 'spiffe://example.org/ns/production/sa/*');
    const token = await issuer.sign(spiffeClaims('urn:spiffe', suite.app.publicUrl));
    const status = async () => (await requestToken(suite.app.publicUrl, clientId, token)).status;
    expect(await status()).toBe(200);
    await updateRow(suite.app.inside.db, 'trusted_issuers', id, { enabled: 0 });
    await expectWithinOneSecond(suite.app.inside.db, status, 401);
    const enabled = { enabled: true };
    await callFederation(suite, 'PATCH', `/trusted-issuers/${id}`, enabled);
    expect(await status()).toBe(200);
  });

  it('of oidc-provider is accepted, with the claims of GitHub and of Kubernetes', async () => {
    for (const shape of [gitHubClaims, kubernetesClaims]) {
      const provider = await startOidcProvider(suite.app.publicUrl, shape);
      onTestFinished(() => provider.close());
      const { id } = await trust(suite, { issuer: provider.url });
      await expect.poll(() => read(suite, id)).toMatchObject({ refresh_error: '', key_ids: [/./] });
      const { ownerId } = await addClient(suite.app.inside.db, keyScope);
      const subject = String(shape('', '').sub);
      await addIdentity(suite.app.inside.db, ownerId, id, subject);
      const token = await provider.token();
      const answer = await requestToken(suite.app.publicUrl, ownerId, token);
      expect(answer).toMatchObject({ status: 200 });
      const form = {
        ...{ client_id: ownerId, client_assertion: token, token: 'x' },
        client_assertion_type: clientAssertionType,
      };
      const { body } = await callForm(suite.app, '/oauth2/introspect', form);
      expect(body).toEqual({ active: false });
    }
  });
};

describeApp('a token of a trusted issuer', describeIssuers, config);
