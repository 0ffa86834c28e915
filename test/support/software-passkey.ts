// An authenticator in software: makes the responses of WebAuthn Level 3 to the options of the
// service. Each member can be replaced, as an attacker would.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
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

export class SoftwarePasskey {
  readonly id = base64url(randomBytes(32));
  readonly #origin: string;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  /** Whether the passkey can be copied to other devices. */
  readonly #isSynced: boolean;
  #counter = 0;
  #userHandle = '';

  constructor(origin: string, { isSynced = false } = {}) {
    this.#origin = origin;
    this.#isSynced = isSynced;
  }

  /** Answers the options of a registration. */
  create(given: JsonObject | undefined, replaced: Replaced = {}): JsonObject {
    const options = given as unknown as Options;
    this.#userHandle = options.user?.id ?? '';
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const coseKey = new Map<number, number | Uint8Array>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as const),
      [-2, Uint8Array.from(Buffer.from(x, 'base64url'))],
      [-3, Uint8Array.from(Buffer.from(y, 'base64url'))],
    ]);
    const id = Buffer.from(replaced.id ?? this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const authData = Buffer.concat([
      this.#authData(options.rp?.id ?? '', 0x40, replaced),
      ...[Buffer.alloc(16), length, id, isoCBOR.encode(coseKey)],
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
    return this.#credential(replaced, {
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: replaced.signature ?? base64url(sign('sha256', signed, this.#keys.privateKey)),
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
