// X.509 certificates for tests of TLS (RFC 5280), because Node cannot create any.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export type Authority = {
  /** The certificate of the authority, as PEM. */
  readonly certificate: string;
  /** Issues a certificate for a DNS name, or for other names, and its key, as PEM. */
  issue(names: string | AlternativeNames): KeyPair;
};

export type KeyPair = { readonly certificate: string; readonly key: string };

export type AlternativeNames = {
  readonly dns?: readonly string[];
  readonly uri?: readonly string[];
  readonly ip?: string;
  /** By default, the certificate is valid until 2049. */
  readonly isExpired?: boolean;
  readonly end?: Date;
};

/** Encodes one DER value: tag, length, content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: Uint8Array[]) => der(0x30, ...content);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const octets = (content: Uint8Array) => der(0x04, content);

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string) =>
  sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
const validUntil = (end: string) =>
  sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from(end)));
/** A UTCTime with seconds, such as `261123011500Z`. */
const utcTime = (time: Date) =>
  `${time
    .toISOString()
    .slice(2, 19)
    .replace(/[^0-9]/g, '')}Z`;
const isAuthority = sequence(
  oid('551d13'),
  der(0x01, Buffer.from([255])),
  octets(sequence(der(0x01, Buffer.from([255])))),
);

/** The subject alternative names; undefined if there are none (RFC 5280 §4.2.1.6). */
function hasNames({ dns = [], uri = [], ip }: AlternativeNames): Buffer | undefined {
  const names = [
    ...dns.map((name) => der(0x82, Buffer.from(name))),
    ...uri.map((name) => der(0x86, Buffer.from(name))),
    ...(ip === undefined ? [] : [der(0x87, Buffer.from(ip.split('.').map(Number)))]),
  ];
  return names.length === 0 ? undefined : sequence(oid('551d11'), octets(sequence(...names)));
}

let serial = 1;

type Fields = {
  readonly issuer: string;
  readonly issuerKey: KeyObject;
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extension: Buffer | undefined;
  readonly end?: string;
};

function certificateOf(fields: Fields): string {
  serial += 1;
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial])),
    ecdsaWithSha256,
    commonName(fields.issuer),
    validUntil(fields.end ?? '491231235959Z'),
    commonName(fields.subject),
    fields.publicKey.export({ type: 'spki', format: 'der' }),
    ...(fields.extension === undefined ? [] : [der(0xa3, sequence(fields.extension))]),
  );
  const signature = sign('sha256', content, fields.issuerKey);
  const text = sequence(content, ecdsaWithSha256, bits(signature)).toString('base64');
  const lines = text.match(/.{1,64}/g)?.join('\n') ?? '';
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });

export function createAuthority(name: string): Authority {
  const { publicKey, privateKey } = newKeys();
  const own = { issuer: name, issuerKey: privateKey };
  return {
    certificate: certificateOf({ ...own, subject: name, publicKey, extension: isAuthority }),
    issue(given) {
      const keys = newKeys();
      const names = typeof given === 'string' ? { dns: [given] } : given;
      const subject = names.dns?.[0] ?? 'workload';
      const expired = names.isExpired === true ? { end: '210101000000Z' } : {};
      const end = names.end === undefined ? expired : { end: utcTime(names.end) };
      const fields = { subject, publicKey: keys.publicKey, extension: hasNames(names), ...end };
      const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      return { certificate: certificateOf({ ...own, ...fields }), key };
    },
  };
}
