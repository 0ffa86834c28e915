// No token of one algorithm is accepted under a key of another one. The forger knows the published
// keys, has other keys, and, for some cases, a private key of the service.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { OAuthService } from '../../gen/latchkey/identity/v1/oauth_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { readMasterKeyFile } from '../../src/base/crypto/master-key-file.ts';
import { sealedSigningKeys } from '../../src/identity/keys/sealed-values.ts';
import type { SigningAlgorithm } from '../../src/storage/schema/schema.ts';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { findLeaks } from '../support/log-leaks.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import {
  addSigningAudience,
  algorithms,
  keyManagerCredential,
  type SigningAudience,
} from '../support/signing-audiences.ts';

const { verifyToken } = VerificationService.method;
const { introspect } = OAuthService.method;

type Json = Record<string, unknown>;

/** A published key with its private part, a token of it, and the audience of the token. */
type Target = {
  readonly alg: SigningAlgorithm;
  readonly kid: string;
  readonly jwk: JsonWebKey;
  readonly privateKey: KeyObject;
  readonly token: string;
  readonly audience: SigningAudience;
};

type Sign = (input: string) => Buffer;

const strangers: Readonly<Record<SigningAlgorithm, KeyObject>> = {
  EdDSA: generateKeyPairSync('ed25519').privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
};

const signers: Readonly<Record<string, (key: KeyObject) => Sign>> = {
  EdDSA: (key) => (input) => sign(null, Buffer.from(input), key),
  ES256: (key) => (input) => sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
  'ES256 in DER': (key) => (input) => sign('sha256', Buffer.from(input), key),
  ES384: (key) => (input) => sign('sha384', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }),
  RS256: (key) => (input) => sign('sha256', Buffer.from(input), key),
  RS512: (key) => (input) => sign('sha512', Buffer.from(input), key),
  PS256: (key) => (input) =>
    sign('sha256', Buffer.from(input), { key, padding: 6, saltLength: 32 }),
};

const signer = (name: string, key: KeyObject) => signers[name]?.(key) ?? (() => Buffer.alloc(0));

const hmac =
  (hash: string, secret: string | Buffer): Sign =>
  (input) =>
    createHmac(hash, secret).update(input).digest();

const encode = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url');

function forge({ alg, kid, token }: Target, header: Json, signIt: Sign): string {
  const own = { alg, typ: 'at+jwt', kid };
  const input = `${encode({ ...own, ...header })}.${token.split('.')[1]}`;
  return `${input}.${signIt(input).toString('base64url')}`;
}

const publicKeyOf = ({ jwk }: Target) => createPublicKey({ key: jwk, format: 'jwk' });
const own = (target: Target) => signer(target.alg, target.privateKey);

/** How a forger makes a token for a target. `other` is a target of another algorithm. */
const forgeries: [string, (target: Target, other: Target) => string][] = [
  ['alg none without a signature', (t) => forge(t, { alg: 'none' }, () => Buffer.alloc(0))],
  ['alg none and a valid signature', (t) => forge(t, { alg: 'none' }, own(t))],
  ['alg NONE', (t) => forge(t, { alg: 'NONE' }, () => Buffer.alloc(0))],
  ['no alg', (t) => forge(t, { alg: undefined }, own(t))],
  ['a list of algs', (t) => forge(t, { alg: [t.alg] }, own(t))],
  ['the alg in other letters', (t) => forge(t, { alg: t.alg.toLowerCase() }, own(t))],
  ...['sha256', 'sha384', 'sha512'].flatMap((hash): typeof forgeries => {
    const alg = hash.replace('sha', 'HS');
    return [
      [
        `${alg} with the public key in PEM`,
        (t) => {
          const pem = publicKeyOf(t).export({ format: 'pem', type: 'spki' });
          return forge(t, { alg }, hmac(hash, pem));
        },
      ],
      [
        `${alg} with the public key in DER`,
        (t) => {
          const der = publicKeyOf(t).export({ format: 'der', type: 'spki' });
          return forge(t, { alg }, hmac(hash, der));
        },
      ],
      [`${alg} with the JWK`, (t) => forge(t, { alg }, hmac(hash, JSON.stringify(t.jwk)))],
      [`${alg} with an empty key`, (t) => forge(t, { alg }, hmac(hash, ''))],
    ];
  }),
  ['HMAC under the own header', (t) => forge(t, {}, hmac('sha256', JSON.stringify(t.jwk)))],
  ['the kid of another algorithm', (t, other) => forge(t, { kid: other.kid }, own(t))],
  ['the alg of another key', (t, other) => forge(t, { alg: other.alg }, own(t))],
  [
    'the header of another key, signed by this one',
    (t, other) => forge(t, { alg: other.alg, kid: other.kid }, own(t)),
  ],
  ['this header, signed by another key', (t, other) => forge(t, {}, own(other))],
  [
    'this kid with the alg and the signature of another key',
    (t, other) => forge(t, { alg: other.alg }, own(other)),
  ],
  [
    'this alg with the kid and the signature of another key',
    (t, other) => forge(t, { kid: other.kid }, own(other)),
  ],
  ['an unknown kid', (t) => forge(t, { kid: 'A'.repeat(43) }, own(t))],
  ['no kid', (t) => forge(t, { kid: undefined }, own(t))],
  ["a stranger's key of the algorithm", (t) => forge(t, {}, signer(t.alg, strangers[t.alg]))],
  ...algorithms.flatMap((alg): typeof forgeries => {
    const signIt = signer(alg, strangers[alg]);
    const jwk = createPublicKey(strangers[alg]).export({ format: 'jwk' });
    return [
      [`a key of ${alg} in the header`, (t) => forge(t, { alg, jwk }, signIt)],
      [
        `a key of ${alg} in the header, no kid`,
        (t) => forge(t, { alg, kid: undefined, jwk }, signIt),
      ],
      [`a certificate of ${alg}`, (t) => forge(t, { alg, x5c: ['MIIB'] }, signIt)],
      [`a key set for ${alg}`, (t) => forge(t, { alg, jku: 'https://a.example/jwks' }, signIt)],
      [
        `a certificate by URL for ${alg}`,
        (t) => forge(t, { alg, x5u: 'https://a.example/c' }, signIt),
      ],
      [`a kid that is a path, ${alg}`, (t) => forge(t, { alg, kid: '../../dev/null' }, signIt)],
      [`a kid that is a query, ${alg}`, (t) => forge(t, { alg, kid: "' or '1'='1" }, signIt)],
    ];
  }),
  ['a key in the header and a valid signature', (t) => forge(t, { jwk: t.jwk }, own(t))],
  ['a critical member', (t) => forge(t, { crit: ['b64'], b64: false }, own(t))],
  ['another typ', (t) => forge(t, { typ: 'JWT' }, own(t))],
  ['the typ of a receipt', (t) => forge(t, { typ: 'agreement-receipt+jwt' }, own(t))],
  ['an empty signature', (t) => forge(t, {}, () => Buffer.alloc(0))],
  ['a signature of zeros', (t) => forge(t, {}, () => Buffer.alloc(t.alg === 'RS256' ? 256 : 64))],
  ['the longer signature of RSA', (t) => forge(t, {}, (input) => pad(own(t)(input), 256))],
  ['a signature of 64 bytes', (t) => forge(t, {}, (input) => pad(own(t)(input), 63))],
];

/** Other signatures with the right key. */
const otherSignatures: [SigningAlgorithm, string, Json][] = [
  ['ES256', 'ES256 in DER', {}],
  ['ES256', 'ES384', {}],
  ['ES256', 'ES384', { alg: 'ES384' }],
  ['RS256', 'PS256', {}],
  ['RS256', 'PS256', { alg: 'PS256' }],
  ['RS256', 'RS512', {}],
  ['RS256', 'RS512', { alg: 'RS512' }],
];

/** Returns bytes of another length than those given. */
function pad(bytes: Buffer, length: number): Buffer {
  const padded = Buffer.alloc(length === bytes.length ? length + 1 : length);
  bytes.copy(padded);
  return padded;
}

describeAppOnSqlite('a token with a confused algorithm', (suite) => {
  const targets = new Map<SigningAlgorithm, Target>();
  let credential: { readonly authorization: string };
  beforeAll(async () => {
    const { app, testApp } = suite;
    const transport = suite.transport('http');
    credential = await keyManagerCredential(app);
    const masterKey = createMasterKey(await readMasterKeyFile(testApp.dataDir));
    for (const alg of algorithms) {
      const audience = await addSigningAudience(app, transport, alg);
      const token = await audience.issue();
      const { kid = '' } = decodeProtectedHeader(token);
      const jwks = await (await fetch(`${app.publicUrl}/.well-known/jwks.json`)).json();
      const jwk = (jwks as { keys: JsonWebKey[] }).keys.find((key) => key.kid === kid) ?? {};
      const { private_ciphertext } = await app.inside.db
        .selectFrom('signing_keys')
        .select('private_ciphertext')
        .where('kid', '=', kid)
        .executeTakeFirstOrThrow();
      const der = masterKey.open(private_ciphertext, sealedSigningKeys.purpose(kid));
      const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      targets.set(alg, { alg, kid, jwk, privateKey, token, audience });
    }
  });

  const targetOf = (alg: SigningAlgorithm): Target => {
    const target = targets.get(alg);
    if (target === undefined) throw new Error('there is no key');
    return target;
  };

  const sent: string[] = [];

  /** Whether each check of the service accepts a token. */
  async function verdicts(token: string, { audience }: Target): Promise<boolean[]> {
    sent.push(token);
    const transport = suite.transport('http');
    const asked = { token, expectedAudience: audience.identifier };
    const verified = messageOf(await transport.call(verifyToken, asked, credential));
    const { clientId, clientSecret } = audience;
    const introspected = await transport.call(introspect, { token, clientId, clientSecret });
    return [verified.active, messageOf(introspected).active];
  }

  const pairs = product(algorithms, (alg) => algorithms.filter((other) => other !== alg));

  itHoldsFor(product(pairs, forgeries), 300)('is not active', async (alg, otherAlg, _, make) => {
    const [target, other] = [targetOf(alg), targetOf(otherAlg)];
    // The same claims with a right signature are accepted.
    expect(await verdicts(forge(target, {}, own(target)), target)).toEqual([true, true]);
    expect(await verdicts(make(target, other), target)).toEqual([false, false]);
  });

  itHoldsFor(otherSignatures, 7)(
    'is not active with another signature',
    async (alg, name, header) => {
      const target = targetOf(alg);
      const forged = forge(target, header, signer(name, target.privateKey));
      expect(await verdicts(forged, target)).toEqual([false, false]);
    },
  );

  itHoldsFor(pairs, 6)('opens no method of the service', async (alg, otherAlg) => {
    const [target, other] = [targetOf(alg), targetOf(otherAlg)];
    const codeFor = async (token: string) => {
      const authorization = `Bearer ${token}`;
      return codeOf(
        await suite.transport('http').call(verifyToken, { token: 'x' }, { authorization }),
      );
    };
    const manager = { ...target, token: credential.authorization.replace('Bearer ', '') };
    expect(await codeFor(manager.token)).toBe('ok');
    for (const header of [{}, { alg: otherAlg }, { kid: other.kid }]) {
      expect(await codeFor(forge(manager, header, own(other)))).toBe('unauthenticated');
    }
  });

  it('is not in the log', async () => {
    expect(sent.length).toBeGreaterThan(600);
    expect(await findLeaks(suite.testApp, sent)).toEqual([]);
    expect(await suite.testApp.logText()).toContain('VerifyToken');
  });
});
