// Proofs that this client has the key to which its tokens are bound (RFC 9449).
import { keyOpenerOf, type PrivateJwk } from './assertions.ts';
import { canSign, encodeBytes, encodeText, type SigningKey, signJwt } from './jwt.ts';
import { requireOption } from './options.ts';

/** A CryptoKeyPair. Its private key need not be extractable. */
export type DpopKeyPair = {
  readonly privateKey: SigningKey;
  readonly publicKey: SigningKey;
};

/**
 * A key pair, a private JWK, or `true`: a new ECDSA key that cannot be exported. It lives as long
 * as the client.
 */
export type DpopOption = true | DpopKeyPair | PrivateJwk;

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

const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

const accepted =
  'must be true, or a CryptoKeyPair for ECDSA with P-256, Ed25519, or RSA with SHA-256, whose ' +
  'private key can sign and whose public key can be exported, or a private JWK for one of these.';

/** Throws a TypeError if the option cannot work. `baseUrl` is the public URL of the server. */
export function createProver(option: DpopOption, baseUrl: string): Prover {
  requireOption(option === true || isKey(option), 'dpop', option, accepted);
  let opened: ReturnType<typeof open> | undefined;
  let nonce: string | undefined;
  return {
    hasNewKey: option === true,
    urlOf: (path) => `${baseUrl}${path}`,
    async prove({ method, url, token }) {
      opened ??= open(option);
      const { jwk, privateKey } = await opened;
      const payload = {
        ...{ jti: crypto.randomUUID(), htm: method, htu: url.replace(/[?#].*$/s, '') },
        iat: Math.floor(Date.now() / 1000),
        ...(token === undefined ? { nonce } : { ath: await digestOf(token) }),
      };
      return signJwt(privateKey, { typ: 'dpop+jwt', jwk }, payload);
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
  if (option !== true && !('publicKey' in option)) {
    // `isKey` has checked the JWK.
    const privateKey = (await keyOpenerOf(option)?.()) as SigningKey;
    return { jwk: publicJwkOf(option), privateKey };
  }
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const pair: DpopKeyPair =
    option === true ? await crypto.subtle.generateKey(algorithm, false, ['sign']) : option;
  const exported = await crypto.subtle.exportKey('jwk', pair.publicKey);
  return { jwk: publicJwkOf(exported), privateKey: pair.privateKey };
}

function publicJwkOf(jwk: PrivateJwk) {
  const members = publicMembers.map((name) => [name, jwk[name]] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function isKey(option: DpopKeyPair | PrivateJwk): boolean {
  if (typeof option !== 'object' || option === null) return false;
  if (!('publicKey' in option)) return 'kty' in option && keyOpenerOf(option) !== undefined;
  const { privateKey, publicKey } = option;
  if (privateKey?.type !== 'private' || publicKey?.type !== 'public') return false;
  return publicKey.extractable && canSign(privateKey);
}

async function digestOf(token: string): Promise<string> {
  return encodeBytes(new Uint8Array(await crypto.subtle.digest('SHA-256', encodeText(token))));
}
