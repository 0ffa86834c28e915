import type { JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint, createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { readMasterKeyFile } from '../../src/base/crypto/master-key-file.ts';
import type { Executor } from '../../src/storage/schema/schema.ts';
import { describeApp, describeAppOnSqlite, type Suite } from '../support/app-suite.ts';
import { codeOf } from '../support/manager-calls.ts';
import { describeTransports } from '../support/matrix.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { signToken } from '../support/signed-tokens.ts';

const path = '/.well-known/jwks.json';

const urlIn = ({ app }: Suite) => app.publicUrl + path;

describeApp('publishing the keys', (suite) => {
  const url = () => urlIn(suite);
  const published = async () => {
    const { keys } = (await (await fetch(url())).json()) as { keys: JsonWebKey[] };
    return keys;
  };

  it('lets jose verify a token with all its checks', async () => {
    const token = await signToken(suite.app, { type: 'service', scope: 'accounts:read' });

    const { payload, protectedHeader } = await jwtVerify(
      token,
      createRemoteJWKSet(new URL(url())),
      {
        algorithms: ['EdDSA'],
        typ: 'at+jwt',
        issuer: suite.app.publicUrl,
        audience: suite.app.publicUrl,
        clockTolerance: 0,
        requiredClaims: ['iss', 'aud', 'sub', 'client_id', 'iat', 'exp', 'jti', 'scope'],
      },
    );

    expect(payload).toMatchObject({ sub: expect.stringMatching(/^cli_/), scope: 'accounts:read' });
    expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ']);
    const [first = '', ...rest] = token.split('.');
    const tampered = [first, ...rest.toReversed()].join('.');
    await expect(jwtVerify(tampered, createRemoteJWKSet(new URL(url())))).rejects.toThrow(
      errors.JOSEError,
    );
  });

  it('contains exactly the members that a verifier needs; the kid is the thumbprint', async () => {
    const keys = await published();

    expect(keys).toHaveLength(1);
    for (const { x, kid, ...rest } of keys) {
      expect(rest).toEqual({ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' });
      expect(Buffer.from(String(x), 'base64url')).toHaveLength(32);
      const thumbprint = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: String(x) });
      expect(kid).toBe(thumbprint);
    }
  });

  it('does not contain private parts, and they are stored encrypted', async () => {
    const text = await (await fetch(url())).text();
    expect(text).not.toContain('"d"');
    const masterKey = await readMasterKeyFile(suite.testApp.dataDir);
    const rows = await suite.app.inside.db.selectFrom('signing_keys').selectAll().execute();
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain(Buffer.from(masterKey).toString('hex'));
    for (const { private_ciphertext, public_x } of rows) {
      // PKCS #8 of Ed25519 begins with these bytes (RFC 8410 §7).
      const ciphertext = Buffer.from(private_ciphertext, 'base64url');
      expect(ciphertext.includes(Buffer.from('302e020100300506032b6570', 'hex'))).toBe(false);
      expect(ciphertext.length).toBeGreaterThan(48);
      expect(private_ciphertext).not.toContain(public_x);
    }
  });

  describeTransports(suite, (name) => {
    it('returns the same keys to every caller, with any credential', async () => {
      const { getJwks } = VerificationService.method;
      const expected = (await published()).map(({ kid }) => kid);
      for (const credential of [{}, { authorization: 'Bearer nonsense' }, { authorization: 'x' }]) {
        const answer = await suite.transport(name).call(getJwks, {}, credential);
        if (!answer.ok) throw new Error(`refused: ${answer.error.code}`);
        expect(answer.message.keys.map(({ kid }) => kid)).toEqual(expected);
      }
    });
  });

  // Last: it removes the app's only key.
  it('removes a key that another process has revoked', async () => {
    const token = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
    const etag = (await fetch(url())).headers.get('etag');
    expect(await verifyCode(suite, token)).toBe('ok');

    // Its next run would add a key.
    await suite.app.inside.rotation.stop();
    const revokeAll = (trx: Executor) =>
      trx.updateTable('signing_keys').set({ state: 'revoked' }).execute();
    await changeAsOtherProcess(suite.app.inside.db, revokeAll);

    await expect.poll(published).toEqual([]);
    expect((await fetch(url())).headers.get('etag')).not.toBe(etag);
    expect(await verifyCode(suite, token)).toBe('unauthenticated');
    const signing = signToken(suite.app, { type: 'service', scope: 'tokens:read' });
    await expect(signing).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describeAppOnSqlite('the answer with the keys', (suite) => {
  const url = () => urlIn(suite);
  const headers = {
    'cache-control': 'public, max-age=300, must-revalidate',
    'access-control-allow-origin': '*',
    'content-type': 'application/jwk-set+json',
    'x-content-type-options': 'nosniff',
  };

  itHoldsFor(['GET', 'HEAD'])('may be cached, and read from any origin', async (method) => {
    const whole = await (await fetch(url())).text();
    const response = await fetch(url(), { method });

    expect(response.status).toBe(200);
    const answered = Object.fromEntries(response.headers);
    expect(answered).toMatchObject({ ...headers, 'content-length': `${whole.length}` });
    expect(response.headers.get('etag')).toMatch(/^"[\w-]+"$/);
    expect(await response.text()).toBe(method === 'GET' ? whole : '');
  });

  itHoldsFor(['GET', 'HEAD'])('is not sent again if it has not changed', async (method) => {
    const etag = (await fetch(url())).headers.get('etag') ?? '';
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await fetch(url(), { method, headers: { 'if-none-match': tags } });

      expect(response.status, tags).toBe(304);
      expect(response.headers.get('etag')).toBe(etag);
      expect(response.headers.get('cache-control')).toBe(headers['cache-control']);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.text()).toBe('');
    }
    const other = await fetch(url(), { method, headers: { 'if-none-match': '"other"' } });
    expect(other.status).toBe(200);
  });
});

async function verifyCode(suite: Suite, token: string): Promise<string> {
  const authorization = `Bearer ${token}`;
  const { verifyToken } = VerificationService.method;
  return codeOf(await suite.transport('grpc').call(verifyToken, { token }, { authorization }));
}
