// A token that differs from a signed one in any byte is not active. No forgery depends on the
// transport or the database: how each transport rejects a bad credential is in
// access-credentials.test.ts.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect } from 'vitest';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { createMasterKey, type MasterKey } from '../../src/base/crypto/master-key.ts';
import { readMasterKeyFile } from '../../src/base/crypto/master-key-file.ts';
import { nodeEd25519 } from '../../src/identity/keys/ed25519.ts';
import { type ActiveKey, type Keyring, openKeyring } from '../../src/identity/keys/keyring.ts';
import { sealedSigningKeys } from '../../src/identity/keys/sealed-values.ts';
import { createSigner } from '../../src/identity/tokens/signer.ts';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { itHoldsFor } from '../support/rule.ts';
import { inactive, signToken } from '../support/signed-tokens.ts';

const { verifyToken } = VerificationService.method;

type Json = Record<string, unknown>;

/** Inputs of a forger: a valid token, its parts, and the keys. */
type Workshop = {
  readonly token: string;
  readonly key: ActiveKey;
  readonly privateKey: KeyObject;
  readonly keyring: Keyring;
  readonly publicUrl: string;
};

const strange = generateKeyPairSync('ed25519').privateKey;

const forgeries: [string, (workshop: Workshop) => string | Promise<string>][] = [
  ['without a signature, alg none', (w) => forge(w, { alg: 'none' }, {}, () => '')],
  ['with alg none and our signature', (w) => forge(w, { alg: 'none' })],
  [
    'signed by HMAC with the bytes of our public key',
    (w) => forge(w, { alg: 'HS256' }, {}, hmac(Buffer.from(w.key.jwk.x ?? '', 'base64url'))),
  ],
  [
    'signed by HMAC with the text of our public key',
    (w) =>
      forge(
        w,
        { alg: 'HS256' },
        {},
        hmac(
          createPublicKey({ key: w.key.jwk, format: 'jwk' })
            .export({ format: 'pem', type: 'spki' })
            .toString(),
        ),
      ),
  ],
  ['signed by HMAC under our own header', (w) => forge(w, {}, {}, hmac(w.key.jwk.x ?? ''))],
  ['of another key under our kid', (w) => forge(w, {}, {}, ed25519(strange))],
  ['of an unknown kid', (w) => forge(w, { kid: 'A'.repeat(43) })],
  ['without a kid', (w) => forge(w, { kid: undefined })],
  [
    'with an embedded key',
    (w) => forge(w, { jwk: strange.export({ format: 'jwk' }) }, {}, ed25519(strange)),
  ],
  ['of typ JWT', (w) => forge(w, { typ: 'JWT' })],
  ['without a typ', (w) => forge(w, { typ: undefined })],
  ['of alg Ed25519', (w) => forge(w, { alg: 'Ed25519' })],
  ['with one more member in its header', (w) => forge(w, { crit: ['exp'] })],
  ['with a header in another order', reorderHeader],
  ['with other claims under its signature', (w) => swapPayload(w, { scope: 'clients:write' })],
  ['with a flipped bit in its signature', ({ token }) => flipSignature(token)],
  ['with the unused bits of its signature set', ({ token }) => nonCanonical(token)],
  ['with a padded signature', ({ token }) => `${token}==`],
  ['with a signature in base64', ({ token }) => toBase64(token)],
  ['with a signature cut short', ({ token }) => token.slice(0, -1)],
  ['of another issuer', (w) => signed(w, { issuer: 'https://other.example' })],
  ['for another audience', (w) => signed(w, { audience: 'https://other.example' })],
  ['for several audiences', (w) => forge(w, {}, { aud: [w.publicUrl, 'https://other.example'] })],
  ['without an expiry', (w) => forge(w, {}, { exp: undefined })],
  ['with an expiry that is a string', (w) => forge(w, {}, { exp: '9999999999' })],
  ['with a fractional expiry', (w) => forge(w, {}, { exp: 9_999_999_999.5 })],
  ['without a jti', (w) => forge(w, {}, { jti: undefined })],
  ['of an unknown principal type', (w) => forge(w, {}, { principal_type: 'root' })],
  ['that has expired', (w) => forge(w, {}, { exp: Math.floor(Date.now() / 1000) - 1 })],
  ['whose payload is not JSON', (w) => sealText(w, 'scope')],
  ['whose payload is null', (w) => sealText(w, 'null')],
  ['whose payload is an array', (w) => sealText(w, '[]')],
  ['with an empty header', ({ token }) => token.replace(/^[^.]*/, '')],
  ['with an empty payload', ({ token }) => token.replace(/\..*\./, '..')],
  ['with an empty signature', ({ token }) => token.replace(/[^.]*$/, '')],
  ['of two parts', ({ token }) => token.replace(/\.[^.]*$/, '')],
  ['of four parts', ({ token }) => `${token}.AAAA`],
  ['of dots only', () => '..'],
  ['with a space before it', ({ token }) => ` ${token}`],
  ['with a line break after it', ({ token }) => `${token}\n`],
  ['that is a credential', () => `lk_ck_${'0'.repeat(22)}_${'0'.repeat(49)}`],
  ['of 16384 characters', () => 'a'.repeat(16_384)],
];

describeAppOnSqlite('a forged token', (suite) => {
  let workshop: Workshop;
  let authorization: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const { app, testApp } = suite;
    const { db } = app.inside;
    const invalidations = await watchInvalidations(db);
    stop = () => invalidations.stop();
    const masterKey = createMasterKey(await readMasterKeyFile(testApp.dataDir));
    const keys = { db, masterKey, ed25519: nodeEd25519, invalidations };
    const keyring = await openKeyring({ ...keys, tokenSecondsMax: 300, now: Date.now });
    const key = await keyring.active();
    if (key === undefined) throw new Error('no key can sign');
    const token = await signToken(app, { type: 'service', scope: 'accounts:read' });
    const privateKey = await privateKeyOf(db, masterKey, key.kid);
    workshop = { token, key, privateKey, keyring, publicUrl: app.publicUrl };
    authorization = `Bearer ${await signToken(app, {
      type: 'service',
      scope: 'tokens:read',
    })}`;
  });
  afterAll(() => stop());

  itHoldsFor(forgeries, 42)('is not active', async (_, make) => {
    const verdict = async (token: string) => {
      const { $typeName, $unknown, ...message } = messageOf(
        await suite.transport('http').call(verifyToken, { token }, { authorization }),
      );
      return message;
    };
    expect(await verdict(workshop.token)).toMatchObject({ active: true });
    expect(await verdict(await make(workshop))).toEqual(inactive);
  });

  itHoldsFor(forgeries, 42)('is rejected as a credential', async (_, make) => {
    const codeFor = async (token: string) => {
      const own = { authorization: `Bearer ${token}` };
      return codeOf(await suite.transport('http').call(verifyToken, { token: 'x' }, own));
    };
    // The good token only lacks the scope.
    expect(await codeFor(workshop.token)).toBe('forbidden');
    const forged = await make(workshop);
    // A header cannot carry some of them.
    if (!/^[!-~]{1,8000}$/.test(forged)) return;
    expect(await codeFor(forged)).toBe('unauthenticated');
  });
});

async function privateKeyOf(db: Database, masterKey: MasterKey, kid: string): Promise<KeyObject> {
  const rows = db.selectFrom('signing_keys').select('private_ciphertext').where('kid', '=', kid);
  const { private_ciphertext } = await rows.executeTakeFirstOrThrow();
  const key = masterKey.open(private_ciphertext, sealedSigningKeys.purpose(kid));
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

type Sign = (input: string) => string;

const ed25519 =
  (key: KeyObject): Sign =>
  (input) =>
    sign(null, Buffer.from(input), key).toString('base64url');

const hmac =
  (secret: string | Buffer): Sign =>
  (input) =>
    createHmac('sha256', secret).update(input).digest('base64url');

const encode = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');

/** The token with other header and claim members, signed by the active key. */
function forge(
  { token, key, privateKey }: Workshop,
  header: Json,
  claims: Json = {},
  signIt: Sign = ed25519(privateKey),
): string {
  const own = { alg: 'EdDSA', typ: 'at+jwt', kid: key.kid };
  const input = `${encode({ ...own, ...header })}.${encode({ ...decodeJwt(token), ...claims })}`;
  return `${input}.${signIt(input)}`;
}

function reorderHeader({ token, key, privateKey }: Workshop): string {
  const input = `${encode({ kid: key.kid, typ: 'at+jwt', alg: 'EdDSA' })}.${token.split('.')[1]}`;
  return `${input}.${ed25519(privateKey)(input)}`;
}

async function signed(
  { token, keyring, publicUrl }: Workshop,
  { issuer = publicUrl, audience = publicUrl },
): Promise<string> {
  const constants = JSON.stringify({ iss: issuer, aud: audience }).slice(1, -1);
  const ownAudience = { constants, signingAlg: 'EdDSA' } as const;
  const signer = createSigner({ keyring, ownAudience, now: Date.now });
  const { sub = '' } = decodeJwt(token);
  const claims = { sub, client_id: sub, scope: 'accounts:read' };
  return (await signer.sign({ ...claims, principal_type: 'service' }, 300)).token;
}

function sealText({ key, privateKey }: Workshop, payload: string): string {
  const input = `${key.header}.${Buffer.from(payload).toString('base64url')}`;
  return `${input}.${ed25519(privateKey)(input)}`;
}

function swapPayload({ token }: Workshop, claims: Json): string {
  const [header, , signature] = token.split('.');
  return `${header}.${encode({ ...decodeJwt(token), ...claims })}.${signature}`;
}

function flipSignature(token: string): string {
  const [header, payload, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  return `${header}.${payload}.${bytes.toString('base64url')}`;
}

/** The same 64 bytes in a non-canonical base64url encoding. */
function nonCanonical(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = alphabet.charAt(alphabet.indexOf(token.slice(-1)) + 1);
  return token.slice(0, -1) + other;
}

function toBase64(token: string): string {
  const [header, payload, signature = ''] = token.split('.');
  return `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`;
}
