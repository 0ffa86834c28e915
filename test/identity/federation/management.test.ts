// The methods that manage trusted issuers and federated identities.
import { describe, expect, it } from 'vitest';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import {
  type TrustedIssuer,
  TrustedIssuerService,
} from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { describeApp, type Suite } from '../../support/app-suite.ts';
import { jwkOf, keyPairs, makePublicJwk } from '../../support/client-keys.ts';
import { addIdentity, addIssuer, callFederation } from '../../support/federation.ts';
import type { TransportName } from '../../support/matrix.ts';
import { describeOneTransport } from '../../support/matrix.ts';
import { addClient } from '../../support/owner-rows.ts';
import { findFailures } from '../../support/rule.ts';
import { signToken } from '../../support/signed-tokens.ts';

const { createTrustedIssuer, updateTrustedIssuer, getTrustedIssuer } = TrustedIssuerService.method;
const { listTrustedIssuers, deleteTrustedIssuer } = TrustedIssuerService.method;
const { createFederatedIdentity, listFederatedIdentities } = ClientService.method;
const { deleteFederatedIdentity } = ClientService.method;

type Refused = { errors: { field: string }[] };
const allScopes = 'trusted_issuers:read trusted_issuers:write clients:read clients:write';

async function callerOf(suite: Suite, name: TransportName, scope = allScopes) {
  const token = await signToken(suite.app, { type: 'service', scope });
  const credential = { authorization: `Bearer ${token}` };
  const transport = suite.transport(name);
  const call: typeof transport.call = (method, request) =>
    transport.call(method, request, credential);
  return call;
}

const pinned = () => ({ keys: [{ ...makePublicJwk(), kid: 'first' }] });

describeApp('trusted issuers', (suite) => {
  describeOneTransport(suite, (name) => {
    it('an issuer is created, listed, changed and deleted', async () => {
      const call = await callerOf(suite, name);
      const created = await call(createTrustedIssuer, { issuer: 'urn:a', jwks: pinned() });
      expect(created).toMatchObject({ ok: true });
      if (!created.ok) return;
      const { id: issuerId = '' } = created.message.trustedIssuer ?? {};
      expect(created.message.trustedIssuer).toMatchObject({
        ...{ issuer: 'urn:a', enabled: true, keyIds: ['first'], jwksUri: '', refreshError: '' },
      });
      const listed = await call(listTrustedIssuers, { query: issuerId });
      expect(listed).toMatchObject({ ok: true, message: { totalSize: 1 } });
      const change = { issuerId, name: 'Cluster', enabled: false, audience: 'latchkey' };
      const changed = { id: issuerId, name: 'Cluster', enabled: false, audience: 'latchkey' };
      expect(await call(updateTrustedIssuer, change)).toMatchObject({
        ok: true,
        message: { trustedIssuer: changed },
      });
      const found = await call(getTrustedIssuer, { issuerId });
      expect(found).toMatchObject({ ok: true, message: { trustedIssuer: changed } });

      const { ownerId: clientId } = await addClient(suite.app.inside.db, 'payments:read');
      const fields = { clientId, issuerId, subject: 'spiffe://a', claims: { ref: 'b*' } };
      const identity = await call(createFederatedIdentity, fields);
      expect(identity).toMatchObject({ ok: true, message: { federatedIdentity: fields } });
      if (!identity.ok) return;
      const conflict = { ok: false, error: { code: 'conflict' } };
      expect(await call(createFederatedIdentity, fields)).toMatchObject(conflict);
      expect(await call(deleteTrustedIssuer, { issuerId })).toMatchObject(conflict);
      const all = await call(listFederatedIdentities, { clientId });
      expect(all).toMatchObject({ ok: true, message: { totalSize: 1 } });
      const identityId = identity.message.federatedIdentity?.id ?? '';
      const ids = { clientId, identityId };
      expect(await call(deleteFederatedIdentity, ids)).toMatchObject({ ok: true });
      const missing = { ok: false, error: { code: 'not_found' } };
      expect(await call(deleteFederatedIdentity, ids)).toMatchObject(missing);
      expect(await call(deleteTrustedIssuer, { issuerId })).toMatchObject({ ok: true });
      expect(await call(getTrustedIssuer, { issuerId })).toMatchObject(missing);
    });
  });

  it('an issuer has one source of keys, and forgets the keys of another one', async () => {
    const call = await callerOf(suite, 'grpc');
    const { db } = suite.app.inside;
    const read = { read_jwks: JSON.stringify(pinned()), read_time: Date.now() };
    const attempt = { attempt_time: Date.now(), attempt_error: 'x', jwks: null };
    const jwks_uri = 'https://issuer.example/jwks';
    const issuerId = await addIssuer(db, { ...read, ...attempt, jwks_uri });
    const update = async (fields: object): Promise<Partial<TrustedIssuer>> => {
      const answer = await call(updateTrustedIssuer, { issuerId, ...fields });
      if (!answer.ok) throw new Error(answer.error.code);
      return answer.message.trustedIssuer ?? {};
    };
    expect(await update({ name: 'New' })).toMatchObject({ keyIds: ['first'], refreshError: 'x' });
    const withKeys = await update({ jwks: { keys: [{ ...makePublicJwk(), kid: 'second' }] } });
    expect(withKeys).toMatchObject({ jwksUri: '', keyIds: ['second'], refreshError: '' });
    const withUrl = await update({ jwksUri: jwks_uri });
    expect(withUrl).toMatchObject({ jwksUri: jwks_uri, keyIds: [] });
    expect(withUrl.jwks).toBeUndefined();
    // Its `iss` is not a URL, so that nothing could be discovered.
    await expect(update({ updateMask: { paths: ['jwks_uri'] } })).rejects.toThrow('argument');
    await expect(update({ jwksUri: jwks_uri, jwks: pinned() })).rejects.toThrow('argument');
  });

  it('only callers who may act as the clients of an issuer change it', async () => {
    const { db } = suite.app.inside;
    const issuerId = await addIssuer(db);
    const { ownerId } = await addClient(db, 'payments:write users:write');
    await addIdentity(db, ownerId, issuerId, 'spiffe://a');
    const call = await callerOf(suite, 'grpc');
    const forbidden = { ok: false, error: { code: 'forbidden' } };
    for (const change of [
      { jwks: pinned() },
      { jwksUri: 'https://eve.example' },
      { audience: 'x' },
      { enabled: false },
    ]) {
      expect(await call(updateTrustedIssuer, { issuerId, ...change })).toMatchObject(forbidden);
    }
    expect(await call(updateTrustedIssuer, { issuerId, name: 'New' })).toMatchObject({ ok: true });
    const identity = { clientId: ownerId, issuerId, subject: 'spiffe://b' };
    expect(await call(createFederatedIdentity, identity)).toMatchObject(forbidden);
    const more = await callerOf(suite, 'grpc', `${allScopes} users:write`);
    expect(await more(updateTrustedIssuer, { issuerId, jwks: pinned() })).toMatchObject({
      ok: true,
    });
    expect(await more(createFederatedIdentity, identity)).toMatchObject({ ok: true });
  });

  it('a client has at most 20 identities, and there are at most 100 issuers', async () => {
    const { db } = suite.app.inside;
    const call = await callerOf(suite, 'grpc');
    const { ownerId: clientId } = await addClient(db, 'payments:read');
    const issuerId = await addIssuer(db);
    for (let n = 0; n < 19; n++) await addIdentity(db, clientId, issuerId, `spiffe://${n}`);
    const identities = await Promise.all(
      ['a', 'b', 'c'].map((path) =>
        call(createFederatedIdentity, { clientId, issuerId, subject: `spiffe://${path}` }),
      ),
    );
    expect(identities.filter(({ ok }) => ok)).toHaveLength(1);
    const { count } = await db
      .selectFrom('trusted_issuers')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    for (let n = Number(count); n < 99; n++) await addIssuer(db);
    const issuers = await Promise.all(
      ['a', 'b', 'c'].map((path) =>
        call(createTrustedIssuer, { issuer: `urn:${path}`, jwks: pinned() }),
      ),
    );
    expect(issuers.filter(({ ok }) => ok)).toHaveLength(1);
  });

  describe('validation', () => {
    it('an issuer that cannot be trusted is refused, with the name of the field', async () => {
      const issuer = 'https://issuer.example';
      const key = makePublicJwk();
      const set = (...keys: object[]) => ({ issuer, jwks: { keys } });
      const short = { kty: 'RSA', n: 'AQAB', e: 'AQAB' };
      const cases: readonly [fields: object, field: string][] = [
        [{}, 'issuer'],
        [{ issuer: 'https://a b' }, 'issuer'],
        [{ issuer: 'urn:a' }, 'issuer'],
        [{ issuer: 'http://issuer.example' }, 'issuer'],
        [{ issuer: 'https://issuer.example?a=b' }, 'issuer'],
        [{ issuer: 'https://issuer.example#a' }, 'issuer'],
        [{ issuer: 'https://me:secret@issuer.example' }, 'issuer'],
        [{ issuer: 'ftp://issuer.example' }, 'issuer'],
        [{ issuer: suite.app.publicUrl, jwks: { keys: [key] } }, 'issuer'],
        [{ issuer: 'cli_0123456789012345678901', jwks: { keys: [key] } }, 'issuer'],
        [{ issuer, jwks_uri: 'http://issuer.example/jwks' }, 'jwks_uri'],
        [{ issuer, jwks_uri: 'https://a:b@issuer.example/jwks' }, 'jwks_uri'],
        [{ issuer, jwks_uri: 'file:///etc/passwd' }, 'jwks_uri'],
        [{ issuer, jwks_uri: 'jwks' }, 'jwks_uri'],
        [{ issuer, jwks_uri: 'https://issuer.example/jwks', jwks: { keys: [key] } }, 'jwks_uri'],
        [{ issuer, audience: 'a b' }, 'audience'],
        [{ issuer, name: 'a\nb' }, 'name'],
        [{ issuer, jwks: {} }, 'jwks.keys'],
        [{ issuer, jwks: { keys: 'x' } }, 'jwks.keys'],
        [set(), 'jwks.keys'],
        [set(short), 'jwks.keys'],
        [set({ kty: 'oct', k: 'AAAA' }), 'jwks.keys[0].k'],
        [set(key, keyPairs.RS256().privateKey.export({ format: 'jwk' })), 'jwks.keys[1].d'],
        [set({ ...key, x: 'A'.repeat(43) }), 'jwks.keys'],
        [set(key, { ...key, kid: 'a\nb' }), 'jwks.keys[1].kid'],
        [set({ ...key, kid: '\ud800' }), 'jwks.keys[0].kid'],
        [set({ ...key, use: 'enc' }), 'jwks.keys'],
        [set({ ...jwkOf(keyPairs.RS256()), alg: 'RS512' }), 'jwks.keys'],
        [set(...Array.from({ length: 51 }, () => key)), 'jwks.keys'],
        [{ ...set(key), jwks: { keys: [key], padding: 'x'.repeat(66_000) } }, 'jwks'],
      ];
      const failures = await findFailures(cases, async (fields, field) => {
        const { status, body } = await callFederation<Refused>(
          suite,
          'POST',
          '/trusted-issuers',
          fields,
        );
        expect([status, ...new Set(body.errors.map((one) => one.field))]).toEqual([400, field]);
      });
      expect(failures).toEqual([]);
      expect(cases).toHaveLength(30);
    });

    it('a wrong federated identity is refused, with the name of the field', async () => {
      const { db } = suite.app.inside;
      const { ownerId } = await addClient(db, 'payments:read');
      const issuer_id = await addIssuer(db);
      const subject = 'repo:octo-org/octo-repo';
      const cases: readonly [fields: object, field: string][] = [
        [{ subject }, 'issuer_id'],
        [{ issuer_id: 'iss_unknown', subject }, 'issuer_id'],
        [{ issuer_id }, 'subject'],
        [{ issuer_id, subject: '*' }, 'subject'],
        [{ issuer_id, subject: '*/*:*' }, 'subject'],
        [{ issuer_id, subject: 'a*b*' }, 'subject'],
        [{ issuer_id, subject: 'a\nb' }, 'subject'],
        [{ issuer_id, subject, claims: { sub: 'a' } }, 'claims.sub'],
        [{ issuer_id, subject, claims: { aud: '*' } }, 'claims.aud'],
        [{ issuer_id, subject, claims: { ref: '**' } }, 'claims.ref'],
        [{ issuer_id, subject, claims: { ref: '' } }, 'claims'],
        [{ issuer_id, subject, claims: { '': 'a' } }, 'claims'],
        [{ issuer_id, subject, claims: { 'a b': 'a' } }, 'claims'],
        [{ issuer_id, subject, claims: { ref: ['a'] } }, 'claims'],
      ];
      const path = `/clients/${ownerId}/federated-identities`;
      const failures = await findFailures(cases, async (fields, field) => {
        const { status, body } = await callFederation(suite, 'POST', path, fields);
        expect(status).toBe(400);
        expect(JSON.stringify(body)).toContain(field);
      });
      expect(failures).toEqual([]);
    });
  });
});
