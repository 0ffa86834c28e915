// Public keys of clients, and the assertions that they sign.
import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { type JWTPayload, SignJWT } from 'jose';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { newId } from '../../src/base/crypto/ids.ts';
import { insertClientKey } from '../../src/identity/clients/store.ts';
import type { ClientKeyRow, Database } from '../../src/storage/schema/schema.ts';
import type { Place } from './app-suite.ts';
import { addClient, changeAsOtherProcess } from './owner-rows.ts';
import type { Transport } from './transports.ts';

export type KeyPair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

export const keyPairs = {
  EdDSA: () => generateKeyPairSync('ed25519'),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const satisfies Readonly<Record<string, () => KeyPair>>;

/** The public JWK of a key. */
export function jwkOf({ publicKey }: Pick<KeyPair, 'publicKey'>) {
  const { kty = '', ...members } = publicKey.export({ format: 'jwk' });
  return { kty, ...members };
}

export const makePublicJwk = () => jwkOf(keyPairs.EdDSA());

/** Adds a key to the rows of a client. Returns its id. */
export async function addClientKey(
  db: Database,
  clientId: string,
  jwk: object,
  change: Partial<ClientKeyRow> = {},
): Promise<string> {
  const id = newId('jwk', randomBytes);
  const row = {
    ...{ id, client_id: clientId, name: '', jwk: JSON.stringify(jwk), thumbprint: id },
    ...{ create_time: Date.now(), expire_time: null, revoke_time: null },
    ...change,
  };
  await changeAsOtherProcess(db, (trx) => insertClientKey(trx, row));
  return id;
}

type AssertionOptions = {
  readonly alg?: string;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Replaces claims. An undefined one is left out. */
  readonly claims?: JWTPayload;
};

/** Signs an assertion that a service accepts, unless the options change it. */
export function signAssertion(
  privateKey: KeyObject,
  clientId: string,
  audience: string,
  { alg = 'EdDSA', header = {}, claims = {} }: AssertionOptions = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = {
    ...{ iss: clientId, sub: clientId, aud: audience },
    ...{ iat: now, exp: now + 60, jti: randomUUID() },
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg, ...header }).sign(privateKey);
}

export const clientAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The scope of a client with a key. */
export const keyScope = 'payments:read';

export async function clientWithKey(
  { app }: Pick<Place, 'app'>,
  pair: KeyPair = keyPairs.EdDSA(),
  change: Partial<ClientKeyRow> = {},
) {
  const { db } = app.inside;
  const { ownerId: id } = await addClient(db, keyScope);
  const keyId = await addClientKey(db, id, jwkOf(pair), change);
  return { id, keyId, ...pair };
}

/** Requests a token with an assertion. */
export const issueFor = (transport: Transport, clientAssertion: string, more = {}) =>
  transport.call(IssuanceService.method.issueToken, {
    ...{ scope: keyScope, clientAssertionType, clientAssertion },
    ...more,
  });
