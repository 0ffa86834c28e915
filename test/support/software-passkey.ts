// An authenticator in software: makes the responses of WebAuthn Level 3 to the options of the
// service. Each member can be replaced, as an attacker would.
import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  sign,
} from 'node:crypto';
import type { JsonObject } from '@bufbuild/protobuf';
import { isoCBOR } from '@simplewebauthn/server/helpers';

export type Replaced = {
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly type?: string;
  readonly challenge?: string;
  readonly rpId?: string;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly id?: string;
  readonly signature?: string;
  /** The format of an attestation with a certificate. */
  readonly attestation?: string;
};

const bytesOf = (text: string) => createHash('sha256').update(text).digest();
const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

type Options = {
  readonly challenge: string;
  readonly rpId?: string;
  readonly rp?: { readonly id: string };
  readonly user?: { readonly id: string };
};

/** The algorithm ids of COSE (RFC 9053 §2). */
export type PasskeyAlg = -8 | -7 | -257;

export type PasskeySettings = {
  /** Whether the passkey can be copied to other devices. */
  readonly isSynced?: boolean;
  readonly alg?: PasskeyAlg;
};

const makeKeys: Readonly<Record<PasskeyAlg, () => KeyPairKeyObjectResult>> = {
  [-8]: () => generateKeyPairSync('ed25519'),
  [-7]: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  [-257]: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

type CoseKey = Map<number, number | Uint8Array>;

/** The public key (RFC 9053 §7, RFC 8230 §4). */
function coseKeyOf(alg: PasskeyAlg, key: KeyObject): CoseKey {
  const jwk = key.export({ format: 'jwk' });
  const bytes = (name: 'x' | 'y' | 'n' | 'e') =>
    Uint8Array.from(Buffer.from(jwk[name] ?? '', 'base64url'));
  const cose: CoseKey = new Map<number, number | Uint8Array>().set(3, alg);
  if (alg === -257) return cose.set(1, 3).set(-1, bytes('n')).set(-2, bytes('e'));
  if (alg === -8) return cose.set(1, 1).set(-1, 6).set(-2, bytes('x'));
  return cose.set(1, 2).set(-1, 1).set(-2, bytes('x')).set(-3, bytes('y'));
}

export class SoftwarePasskey {
  readonly id = base64url(randomBytes(32));
  readonly #origin: string;
  readonly #alg: PasskeyAlg;
  readonly #keys: KeyPairKeyObjectResult;
  readonly #isSynced: boolean;
  #counter = 0;
  #userHandle = '';

  constructor(origin: string, { isSynced = false, alg = -7 }: PasskeySettings = {}) {
    this.#origin = origin;
    this.#alg = alg;
    this.#keys = makeKeys[alg]();
    this.#isSynced = isSynced;
  }

  /** Answers the options of a registration. */
  create(given: JsonObject | undefined, replaced: Replaced = {}): JsonObject {
    const options = given as unknown as Options;
    this.#userHandle = options.user?.id ?? '';
    const id = Buffer.from(replaced.id ?? this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const authData = Buffer.concat([
      this.#authData(options.rp?.id ?? '', 0x40, replaced),
      ...[Buffer.alloc(16), length, id, isoCBOR.encode(coseKeyOf(this.#alg, this.#keys.publicKey))],
    ]);
    const attestation = new Map<string, unknown>([
      ['fmt', replaced.attestation ?? 'none'],
      ['attStmt', new Map(replaced.attestation ? [['x5c', [new Uint8Array(8)]]] : [])],
      ['authData', Uint8Array.from(authData)],
    ]);
    const encoded = isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0]);
    return this.#credential(replaced, {
      clientDataJSON: base64url(this.#clientData('webauthn.create', options, replaced)),
      attestationObject: base64url(encoded),
      transports: ['internal'],
    });
  }

  /** Answers the options of a sign-in. */
  get(given: JsonObject | undefined, replaced: Replaced = {}): JsonObject {
    const options = given as unknown as Options;
    this.#counter++;
    const authData = this.#authData(options.rpId ?? '', 0, replaced);
    const clientData = this.#clientData('webauthn.get', options, replaced);
    const signed = Buffer.concat([authData, bytesOf(clientData)]);
    // Ed25519 signs without a digest of its message.
    const digest = this.#alg === -8 ? null : 'sha256';
    return this.#credential(replaced, {
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: replaced.signature ?? base64url(sign(digest, signed, this.#keys.privateKey)),
      userHandle: replaced.userHandle ?? this.#userHandle,
    });
  }

  #credential({ id = this.id }: Replaced, response: JsonObject): JsonObject {
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, { challenge }: Options, replaced: Replaced): string {
    const { origin = this.#origin, crossOrigin = false } = replaced;
    const own = { type, challenge, origin, crossOrigin };
    const { type: otherType = type, challenge: otherChallenge = challenge } = replaced;
    return JSON.stringify({ ...own, type: otherType, challenge: otherChallenge });
  }

  #authData(rpId: string, flags: number, replaced: Replaced): Buffer {
    const { userVerified = true, userPresent = true, counter = this.#counter } = replaced;
    const synced = this.#isSynced ? 0x18 : 0;
    const all = flags | synced | (userPresent ? 1 : 0) | (userVerified ? 4 : 0);
    const tail = Buffer.alloc(5);
    tail.writeUInt8(all);
    tail.writeUInt32BE(counter, 1);
    return Buffer.concat([bytesOf(replaced.rpId ?? rpId), tail]);
  }
}
