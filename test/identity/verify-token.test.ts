import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  VerificationService,
  type VerifyTokenRequestSchema,
} from '../../gen/latchkey/identity/v1/verification_pb.js';
import { type ActiveKey, type Keyring, openKeyring } from '../../src/identity/keys/keyring.ts';
import { createMasterKey, readMasterKeyFile } from '../../src/identity/keys/master-key.ts';
import { createSigner } from '../../src/identity/tokens/signer.ts';
import { watchChanges } from '../../src/storage/changes.ts';
import { openDoors } from '../support/doors.ts';
import { startTestApp } from '../support/harness.ts';
import { type DoorName, describeApp, describeDoors, type Suite } from '../support/suite.ts';
import { signToken } from '../support/tokens.ts';

const { verifyToken, revokeToken } = VerificationService.method;

type Request = MessageInitShape<typeof VerifyTokenRequestSchema>;
type Json = Record<string, unknown>;

const inactive = {
  active: false,
  allowed: false,
  code: 'unauthenticated',
  sub: '',
  clientId: '',
  scope: '',
  aud: '',
  iss: '',
  iat: 0,
  exp: 0,
  jti: '',
  principalType: '',
  accounts: [],
  authTime: 0,
};

/** What a forger has in hand: a good token, its parts, and the keys. */
type Workshop = {
  readonly token: string;
  readonly key: ActiveKey;
  readonly keyring: Keyring;
  readonly publicUrl: string;
};

const strange = generateKeyPairSync('ed25519').privateKey;

const forgeries: [string, (workshop: Workshop) => string | Promise<string>][] = [
  ['without a signature, alg none', (w) => forge(w, { alg: 'none' }, {}, () => '')],
  ['with alg none and our signature', (w) => forge(w, { alg: 'none' })],
  [
    'signed by HMAC with the bytes of our public key',
    (w) => forge(w, { alg: 'HS256' }, {}, hmac(Buffer.from(w.key.jwk.x, 'base64url'))),
  ],
  [
    'signed by HMAC with the text of our public key',
    (w) =>
      forge(
        w,
        { alg: 'HS256' },
        {},
        hmac(w.key.publicKey.export({ format: 'pem', type: 'spki' }).toString()),
      ),
  ],
  ['signed by HMAC under our own header', (w) => forge(w, {}, {}, hmac(w.key.jwk.x))],
  ['of another key under our kid', (w) => forge(w, {}, {}, ed25519(strange))],
  ['of an unknown kid', (w) => forge(w, { kid: 'A'.repeat(43) })],
  ['without a kid', (w) => forge(w, { kid: undefined })],
  [
    'that brings its own key',
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
  ['with an expiry in words', (w) => forge(w, {}, { exp: '9999999999' })],
  ['with an expiry that is no whole number', (w) => forge(w, {}, { exp: 9_999_999_999.5 })],
  ['without a jti', (w) => forge(w, {}, { jti: undefined })],
  ['of no kind of principal', (w) => forge(w, {}, { principal_type: 'root' })],
  ['that has expired', (w) => forge(w, {}, { exp: Math.floor(Date.now() / 1000) - 1 })],
  ['whose payload is not JSON', (w) => sealText(w, 'scope')],
  ['whose payload is null', (w) => sealText(w, 'null')],
  ['whose payload is an array', (w) => sealText(w, '[]')],
  ['with an empty header', ({ token }) => token.replace(/^[^.]*/, '')],
  ['with an empty payload', ({ token }) => token.replace(/\..*\./, '..')],
  ['with an empty signature', ({ token }) => token.replace(/[^.]*$/, '')],
  ['of two parts', ({ token }) => token.replace(/\.[^.]*$/, '')],
  ['of four parts', ({ token }) => `${token}.AAAA`],
  ['that is only dots', () => '..'],
  ['with a space before it', ({ token }) => ` ${token}`],
  ['with a line break after it', ({ token }) => `${token}\n`],
  ['that is a credential', () => `lk_ck_${'0'.repeat(22)}_${'0'.repeat(49)}`],
  ['of 16384 characters', () => 'a'.repeat(16_384)],
];

describeApp('verifying a token', (suite) => {
  let workshop: Workshop;
  let authorization: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const { app, testApp } = suite;
    const { db } = app.inside;
    const changes = await watchChanges(db);
    stop = () => changes.stop();
    const masterKey = createMasterKey(await readMasterKeyFile(testApp.dataDir));
    const keyring = await openKeyring({ db, masterKey, changes });
    const key = keyring.active();
    if (key === undefined) throw new Error('no key can sign');
    const token = await signToken(app, { type: 'service', scope: 'accounts:read' });
    workshop = { token, key, keyring, publicUrl: app.publicUrl };
    authorization = `Bearer ${await signToken(app, {
      type: 'service',
      scope: 'tokens:read tokens:write',
      lifetimeSeconds: 3600,
    })}`;
  });
  afterAll(() => stop());

  const asker = (suite: Suite, name: DoorName) => ({
    answer: (request: Request) => suite.door(name).call(verifyToken, request, { authorization }),
    async verdict(request: Request) {
      const answer = await suite.door(name).call(verifyToken, request, { authorization });
      if (!answer.ok) throw new Error(`refused: ${answer.error.code}`);
      const { $typeName, $unknown, ...verdict } = answer.message;
      return verdict;
    },
  });

  describeDoors((name) => {
    const { answer, verdict } = asker(suite, name);

    it("tells a service's token's claims", async () => {
      const token = await signToken(suite.app, { type: 'service', scope: 'accounts:read a:write' });
      const { iat = 0, exp = 0, jti } = decodeJwt(token);

      expect(await verdict({ token })).toEqual({
        active: true,
        allowed: true,
        code: '',
        sub: 'sub_service',
        clientId: 'sub_service',
        scope: 'accounts:read a:write',
        aud: suite.app.publicUrl,
        iss: suite.app.publicUrl,
        iat,
        exp,
        jti,
        principalType: 'service',
        accounts: [],
        authTime: 0,
      });
    });

    it("tells a customer's accounts and a user's sign-in", async () => {
      const customer = { type: 'customer', scope: 'a:read', accounts: ['acc_1', 'acc_2'] } as const;
      const staff = { type: 'staff', scope: 'a:read', authTime: 1_700_000_000 } as const;

      expect(await verdict({ token: await signToken(suite.app, customer) })).toMatchObject({
        active: true,
        principalType: 'customer',
        accounts: ['acc_1', 'acc_2'],
        authTime: 0,
      });
      expect(await verdict({ token: await signToken(suite.app, staff) })).toMatchObject({
        active: true,
        principalType: 'staff',
        accounts: [],
        authTime: 1_700_000_000,
      });
    });

    it.each([
      ['accounts:read', true],
      ['payments:write accounts:read', true],
      ['accounts:write', false],
      ['payments:read', false],
      ['accounts:read accounts:write', false],
    ])('says whether the scope %j is covered', async (scope, allowed) => {
      const own = { type: 'service', scope: 'accounts:read payments:write' } as const;
      const token = await signToken(suite.app, own);

      expect(await verdict({ token, scope })).toMatchObject({
        active: true,
        allowed,
        code: allowed ? '' : 'forbidden',
      });
    });

    it.each([
      ['customer', 'acc_1', true],
      ['customer', 'acc_9', false],
      ['customer', 'acc_', false],
      ['service', 'acc_9', true],
      ['staff', 'acc_9', true],
    ] as const)("says whether a %s's token covers %s", async (type, accountId, allowed) => {
      const own = { type, scope: 'accounts:read', accounts: ['acc_1', 'acc_2'] };
      const token = await signToken(suite.app, own);

      expect(await verdict({ token, accountId })).toMatchObject({
        active: true,
        allowed,
        code: allowed ? '' : 'forbidden',
      });
      expect(await verdict({ token, accountId, scope: 'accounts:write' })).toMatchObject({
        allowed: false,
      });
    });

    it.each(forgeries)('answers that a token %s is not active', async (_, make) => {
      expect(await verdict({ token: workshop.token })).toMatchObject({ active: true });
      expect(await verdict({ token: await make(workshop) })).toEqual(inactive);
    });

    it('keeps a token to the millisecond, and not for one more', async () => {
      const start = Math.ceil(Date.now() / 1000) * 1000;
      try {
        suite.clock.frozen = start;
        const token = await signToken(suite.app, {
          type: 'customer',
          scope: 'accounts:read',
          lifetimeSeconds: 60,
        });
        suite.clock.frozen = start + 59_999;
        expect(await verdict({ token })).toMatchObject({ active: true });
        suite.clock.frozen = start + 60_000;
        expect(await verdict({ token })).toEqual(inactive);
      } finally {
        suite.clock.frozen = undefined;
      }
    });

    it.each([
      ['no token', { token: '' }, ['token']],
      ['a token of 16385 characters', { token: 'a'.repeat(16_385) }, ['token']],
      ['a scope that is none', { token: 'x', scope: 'accounts' }, ['scope']],
      ['an account of 129 characters', { token: 'x', accountId: 'a'.repeat(129) }, ['account_id']],
    ])('names the field of %s', async (_, request, fields) => {
      expect(await answer(request)).toMatchObject({
        ok: false,
        error: { code: 'invalid_argument', fields },
      });
    });

    it('revokes a token at once, as a credential too', async () => {
      const token = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
      const other = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
      const use = (credential: string) =>
        suite
          .door(name)
          .call(verifyToken, { token: other }, { authorization: `Bearer ${credential}` });
      expect(await use(token)).toMatchObject({ ok: true });

      expect(await suite.door(name).call(revokeToken, { token }, { authorization })).toMatchObject({
        ok: true,
      });

      expect(await use(token)).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
      expect(await verdict({ token })).toEqual(inactive);
      expect(await use(other)).toMatchObject({ ok: true, message: { active: true } });
    });

    it.each([
      ['an unknown token', () => 'no.such.token'],
      ['an expired token', (w) => forge(w, {}, { exp: Math.floor(Date.now() / 1000) - 1 })],
      ['a forged token', (w) => forge(w, {}, {}, ed25519(strange))],
    ] satisfies [string, (w: Workshop) => string][])('revokes %s in vain', async (_, make) => {
      const rows = () => suite.app.inside.db.selectFrom('revoked_tokens').selectAll().execute();
      const before = await rows();
      const request = { token: make(workshop) };

      expect(await suite.door(name).call(revokeToken, request, { authorization })).toMatchObject({
        ok: true,
      });

      expect(await rows()).toEqual(before);
    });

    it('revokes a token twice', async () => {
      const token = await signToken(suite.app, { type: 'service', scope: 'tokens:read' });
      const revoke = () => suite.door(name).call(revokeToken, { token }, { authorization });

      expect(await Promise.all([revoke(), revoke()])).toMatchObject([{ ok: true }, { ok: true }]);
      expect(await revoke()).toMatchObject({ ok: true });
    });
  });

  describe('in another process on the same database', () => {
    it('a token is good that the first has issued, until within a second of its revocation', async () => {
      const other = await startTestApp({
        dataDir: suite.testApp.dataDir,
        config: { databaseUrl: suite.testApp.databaseUrl, publicUrl: suite.app.publicUrl },
      });
      const doors = openDoors(other.app);
      const there = doors.find((door) => door.name === 'grpc');
      const token = await signToken(suite.app, { type: 'service', scope: 'accounts:read' });
      const activeThere = async () => {
        const answer = await there?.call(verifyToken, { token }, { authorization });
        return answer?.ok === true && answer.message.active;
      };
      try {
        expect(await activeThere()).toBe(true);

        await suite.door('http').call(revokeToken, { token }, { authorization });

        await expect.poll(activeThere, { timeout: 1_000, interval: 20 }).toBe(false);
      } finally {
        for (const door of doors) door.close();
        await other.stop();
      }
    });

    it('a token stays revoked after a start', async () => {
      const token = await signToken(suite.app, { type: 'service', scope: 'accounts:read' });
      await suite.door('http').call(revokeToken, { token }, { authorization });

      const other = await startTestApp({
        dataDir: suite.testApp.dataDir,
        config: { databaseUrl: suite.testApp.databaseUrl, publicUrl: suite.app.publicUrl },
      });
      const doors = openDoors(other.app);
      try {
        const there = doors.find((door) => door.name === 'grpc');
        expect(await there?.call(verifyToken, { token }, { authorization })).toMatchObject({
          ok: true,
          message: { active: false },
        });
      } finally {
        for (const door of doors) door.close();
        await other.stop();
      }
    });
  });

  it('forgets a revocation once the token has expired', async () => {
    const { db } = suite.app.inside;
    const revoke = async (lifetimeSeconds: number) => {
      const own = { type: 'service', scope: 'accounts:read', lifetimeSeconds } as const;
      const token = await signToken(suite.app, own);
      await suite.door('http').call(revokeToken, { token }, { authorization });
      return decodeJwt(token).jti ?? '';
    };
    const stored = async () => {
      const rows = await db.selectFrom('revoked_tokens').select('jti').execute();
      return rows.map(({ jti }) => jti);
    };
    const first = await revoke(60);
    expect(await stored()).toContain(first);
    try {
      suite.clock.frozen = Date.now() + 61_000;
      const second = await revoke(60);
      expect(await stored()).toContain(second);
      expect(await stored()).not.toContain(first);
    } finally {
      suite.clock.frozen = undefined;
    }
  });
});

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

/** The workshop's token with other members in its header and claims; signed by our own key. */
function forge({ token, key }: Workshop, header: Json, claims: Json = {}, signIt?: Sign): string {
  const own = { alg: 'EdDSA', typ: 'at+jwt', kid: key.kid };
  const input = `${encode({ ...own, ...header })}.${encode({ ...decodeJwt(token), ...claims })}`;
  return `${input}.${(signIt ?? ed25519(key.privateKey))(input)}`;
}

function reorderHeader({ token, key }: Workshop): string {
  const input = `${encode({ kid: key.kid, typ: 'at+jwt', alg: 'EdDSA' })}.${token.split('.')[1]}`;
  return `${input}.${ed25519(key.privateKey)(input)}`;
}

async function signed(
  { keyring, publicUrl }: Workshop,
  { issuer = publicUrl, audience = publicUrl },
): Promise<string> {
  const names = { issuer: () => issuer, audience: () => audience };
  const signer = createSigner({ keyring, ...names, now: Date.now });
  const claims = { sub: 'sub', client_id: 'sub', scope: 'accounts:read' };
  return (await signer.sign({ ...claims, principal_type: 'service' }, 300)).token;
}

function sealText({ key }: Workshop, payload: string): string {
  const input = `${key.header}.${Buffer.from(payload).toString('base64url')}`;
  return `${input}.${ed25519(key.privateKey)(input)}`;
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

/** The same 64 bytes, in the way of writing them that base64url forbids. */
function nonCanonical(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = alphabet.charAt(alphabet.indexOf(token.slice(-1)) + 1);
  return token.slice(0, -1) + other;
}

function toBase64(token: string): string {
  const [header, payload, signature = ''] = token.split('.');
  return `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`;
}
