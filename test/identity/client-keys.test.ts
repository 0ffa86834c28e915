// Public keys of clients, and the assertions that replace a secret (RFC 7523).
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { describeApp } from '../support/app-suite.ts';
import {
  addClientKey,
  clientWithKey,
  issueFor,
  jwkOf,
  keyPairs,
  keyScope,
  makePublicJwk,
  signAssertion,
} from '../support/client-keys.ts';
import { hex, secondEncodings, smallOrder } from '../support/ed25519-cases.ts';
import { callJson } from '../support/json-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addClient, updateRow } from '../support/owner-rows.ts';
import { bearer } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';
import type { Transport } from '../support/transports.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const { createClientKey, listClientKeys, revokeClientKey } = ClientService.method;

const scope = keyScope;

/** A transport whose calls have the token. */
const callingAs = (transport: Transport, token: string): Pick<Transport, 'call'> => ({
  call: (method, request) => transport.call(method, request, { authorization: `Bearer ${token}` }),
});

type Problem = {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string }[];
};

describeApp('client keys', (suite) => {
  describeOneTransport(suite, (name) => {
    it('keys are added, listed and revoked', async () => {
      const { db } = suite.app.inside;
      const { ownerId: clientId } = await addClient(db, scope);
      const token = await signToken(suite.app, {
        ...{ type: 'service', scope: 'clients:write clients:read' },
      });
      const transport = callingAs(suite.transport(name), token);
      const jwk = { ...makePublicJwk(), kid: 'first', use: 'sig' };
      const created = await transport.call(createClientKey, { clientId, jwk, name: 'ci' });
      expect(created).toMatchObject({ ok: true });
      if (!created.ok) return;
      const { kty, crv, x } = jwk as { kty: string; crv?: string; x?: string };
      expect(created.message.key).toMatchObject({ clientId, name: 'ci', jwk: { kty, crv, x } });
      expect(created.message.key?.jwk?.use).toBeUndefined();
      const again = await transport.call(createClientKey, { clientId, jwk });
      expect(again).toMatchObject({ ok: false, error: { code: 'conflict' } });
      const keyId = created.message.key?.id ?? '';
      expect(await transport.call(revokeClientKey, { clientId, keyId })).toMatchObject({
        ok: true,
      });
      const listed = await transport.call(listClientKeys, { clientId });
      expect(listed).toMatchObject({ ok: true, message: { totalSize: 1 } });
      // A revoked key can be added again.
      expect(await transport.call(createClientKey, { clientId, jwk })).toMatchObject({ ok: true });
      const unknown = { clientId, keyId: `${keyId}x` };
      const missing = await transport.call(revokeClientKey, unknown);
      expect(missing).toMatchObject({ ok: false, error: { code: 'not_found' } });
    });

    it('an assertion that a key signed replaces the secret once', async () => {
      const transport = suite.transport(name);
      for (const [alg, makePair] of Object.entries(keyPairs)) {
        const { id, privateKey } = await clientWithKey(suite, makePair());
        for (const audience of [suite.app.publicUrl, `${suite.app.publicUrl}/tokens`]) {
          const assertion = await signAssertion(privateKey, id, audience, { alg });
          expect(await issueFor(transport, assertion), alg).toMatchObject({ ok: true });
          const replayed = await issueFor(transport, assertion);
          expect(replayed, alg).toMatchObject({
            error: { code: 'identity.credential_invalid' },
          });
        }
      }
    });
  });

  it('a key stops working within a second after another process revokes it', async () => {
    const transport = suite.transport('grpc');
    const { id, keyId, privateKey } = await clientWithKey(suite);
    const attempt = async () =>
      issueFor(transport, await signAssertion(privateKey, id, suite.app.publicUrl));
    expect(await attempt()).toMatchObject({ ok: true });
    await updateRow(suite.app.inside.db, 'client_keys', keyId, { revoke_time: Date.now() });
    await expectWithinOneSecond(suite.app.inside.db, async () => (await attempt()).ok, false);
  });

  it('a client has at most 10 live keys', async () => {
    const { db } = suite.app.inside;
    const { ownerId: clientId } = await addClient(db, scope);
    for (let count = 0; count < 9; count++) await addClientKey(db, clientId, makePublicJwk());
    await addClientKey(db, clientId, makePublicJwk(), { expire_time: 1 });
    const token = await signToken(suite.app, { type: 'service', scope: 'clients:write' });
    const transport = callingAs(suite.transport('grpc'), token);
    const answers = await Promise.all(
      [1, 2, 3].map(() => transport.call(createClientKey, { clientId, jwk: makePublicJwk() })),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  });

  describe('validation', () => {
    it('an invalid public key is refused, with the name of the member', async () => {
      const { ownerId: clientId } = await addClient(suite.app.inside.db, scope);
      const token = await signToken(suite.app, { type: 'service', scope: 'clients:write' });
      const [ed25519, rsa] = [makePublicJwk(), keyPairs.RS256()];
      const short = generateKeyPairSync('rsa', { modulusLength: 1024 });
      const weak = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });
      const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
      const cases: [jwk: object, field: string][] = [
        [{ kty: 'oct', k: 'AAAA' }, 'jwk.k'],
        [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), 'jwk.d'],
        [rsa.privateKey.export({ format: 'jwk' }), 'jwk.d'],
        [{ kty: 'oct' }, 'jwk.kty'],
        [{ kty: 'constructor' }, 'jwk.kty'],
        [{ ...ed25519, crv: 'X25519' }, 'jwk.crv'],
        [{ ...ed25519, x: 'AAAA' }, 'jwk'],
        [{ ...ed25519, x: `${'A'.repeat(42)}B` }, 'jwk'],
        [{ kty: 'OKP', crv: 'Ed25519' }, 'jwk.x'],
        ...[...smallOrder, ...secondEncodings].map((point): [object, string] => [
          { ...ed25519, x: hex(point).toString('base64url') },
          'jwk: is not a valid public key',
        ]),
        [{ ...ed25519, alg: 'RS256' }, 'jwk.alg'],
        [{ ...ed25519, kid: 'k'.repeat(129) }, 'jwk.kid'],
        [jwkOf(p384), 'jwk.crv'],
        [{ ...jwkOf(keyPairs.ES256()), y: jwkOf(keyPairs.ES256()).y }, 'jwk'],
        [jwkOf(short), 'jwk.n'],
        [jwkOf(weak), 'jwk.e'],
        [{ ...jwkOf(rsa), x5u: 'https://example.com' }, 'jwk.x5u'],
      ];
      const failures: unknown[] = [];
      for (const [jwk, field] of cases) {
        const path = `/clients/${clientId}/keys`;
        const { body } = await callJson<Problem>(suite.app, 'POST', path, { jwk }, bearer(token));
        const { code, detail, errors = [] } = body;
        const named = `${errors[0]?.field} ${detail}`;
        if (code !== 'invalid_argument' || !named.includes(field)) {
          failures.push([jwk, field, code, named]);
        }
      }
      expect(failures).toEqual([]);
      expect(cases).toHaveLength(28);
    });
  });
});
