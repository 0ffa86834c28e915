// Proofs that this client has the key to which its tokens are bound (RFC 9449).
import { base64Encode } from '@bufbuild/protobuf/wire';
import { requireOption } from './options.ts';

/** A CryptoKey, whose type is not known in all environments. */
type Key = Parameters<typeof crypto.subtle.sign>[1];

/** A CryptoKeyPair. Its private key need not be extractable. */
export type DpopKeyPair = { readonly privateKey: Key; readonly publicKey: Key };

/** `true` is a new ECDSA key that cannot be exported. It lives as long as the client. */
export type DpopOption = true | DpopKeyPair;

export type ProvenRequest = {
  readonly method: string;
  /** The whole URL. Its query is ignored. */
  readonly url: string;
  /** The token that the request presents. Undefined for a request for a token. */
  readonly token?: string;
};

export type Prover = {
  /** Whether the key is new, so that no other program has a token for it. */
  readonly hasNewKey: boolean;
  /** Returns the URL of a path of the server, as the server knows it. */
  urlOf(path: string): string;
  /** Returns a value of the header `DPoP`. It works once. */
  prove(request: ProvenRequest): Promise<string>;
  /** Keeps the nonce of an answer for the next token request. */
  keepNonce(headers: Pick<Headers, 'get'>): void;
};

/** By the name of the algorithm, and its curve or hash. */
const algorithms: Readonly<Record<string, { readonly alg: string; readonly params: object }>> = {
  'ECDSA P-256': { alg: 'ES256', params: { name: 'ECDSA', hash: 'SHA-256' } },
  Ed25519: { alg: 'EdDSA', params: { name: 'Ed25519' } },
  'RSASSA-PKCS1-v1_5 SHA-256': { alg: 'RS256', params: { name: 'RSASSA-PKCS1-v1_5' } },
  'RSA-PSS SHA-256': { alg: 'PS256', params: { name: 'RSA-PSS', saltLength: 32 } },
};

const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

const accepted =
  'must be true, or a CryptoKeyPair for ECDSA with P-256, Ed25519, or RSA with SHA-256, whose ' +
  'private key can sign and whose public key can be exported.';

/** Throws a TypeError if the option cannot work. `baseUrl` is the public URL of the server. */
export function createProver(option: DpopOption, baseUrl: string): Prover {
  requireOption(option === true || isKeyPair(option), 'dpop', option, accepted);
  let opened: ReturnType<typeof open> | undefined;
  let nonce: string | undefined;
  return {
    hasNewKey: option === true,
    urlOf: (path) => `${baseUrl}${path}`,
    async prove({ method, url, token }) {
      opened ??= open(option);
      const { header, privateKey, params } = await opened;
      const payload = {
        ...{ jti: crypto.randomUUID(), htm: method, htu: url.replace(/[?#].*$/s, '') },
        iat: Math.floor(Date.now() / 1000),
        ...(token === undefined ? { nonce } : { ath: await digestOf(token) }),
      };
      const text = `${header}.${encode(utf8(JSON.stringify(payload)))}`;
      const signature = await crypto.subtle.sign(params, privateKey, utf8(text));
      return `${text}.${encode(new Uint8Array(signature))}`;
    },
    keepNonce(headers) {
      nonce = headers.get('dpop-nonce') ?? nonce;
    },
  };
}

/** The headers with which a request presents a token. */
export async function presentToken(
  prover: Prover | undefined,
  { token, ...request }: ProvenRequest & { readonly token: string },
): Promise<Record<string, string>> {
  if (prover === undefined) return { authorization: `Bearer ${token}` };
  return { authorization: `DPoP ${token}`, dpop: await prover.prove({ ...request, token }) };
}

async function open(option: DpopOption) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const pair: DpopKeyPair =
    option === true ? await crypto.subtle.generateKey(algorithm, false, ['sign']) : option;
  const found = algorithmOf(pair.privateKey);
  if (found === undefined) throw new TypeError(`dpop ${accepted}`);
  const exported = await crypto.subtle.exportKey('jwk', pair.publicKey);
  const members = publicMembers.map((name) => [name, exported[name]] as const);
  const jwk = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  const header = encode(utf8(JSON.stringify({ typ: 'dpop+jwt', alg: found.alg, jwk })));
  // A parameter of `sign`, as the table lists it.
  const params = found.params as Parameters<typeof crypto.subtle.sign>[0];
  return { header, privateKey: pair.privateKey, params };
}

function isKeyPair(option: DpopOption): boolean {
  if (typeof option !== 'object' || option === null) return false;
  const { privateKey, publicKey } = option;
  if (privateKey?.type !== 'private' || publicKey?.type !== 'public') return false;
  const canSign = privateKey.usages.includes('sign') && publicKey.extractable;
  return canSign && algorithmOf(privateKey) !== undefined;
}

function algorithmOf({ algorithm }: Key) {
  const { namedCurve, hash } = algorithm as { namedCurve?: string; hash?: { name: string } };
  return algorithms[[algorithm.name, namedCurve ?? hash?.name ?? ''].join(' ').trim()];
}

async function digestOf(token: string): Promise<string> {
  return encode(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(token))));
}

const utf8 = (text: string) => new TextEncoder().encode(text);

const encode = (bytes: Uint8Array) => base64Encode(bytes, 'url');
