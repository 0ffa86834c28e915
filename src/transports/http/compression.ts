// Compresses texts for clients that accept it (RFC 9110 §12.5.3).
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { preferredCoding } from '../../base/http/negotiation.ts';

/** Shorter texts are not compressed, because compression would not make them shorter. */
const compressedBytesMin = 1024;

const compressors: Record<string, ((text: string) => Promise<Buffer>) | undefined> = {
  br: (text) =>
    promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (text) => promisify(gzip)(text),
};

export type Representation = {
  readonly body: string | Buffer;
  /** `Vary`, and `Content-Encoding` if the body is compressed. */
  readonly headers: Record<string, string>;
  /** `br` or `gzip`; undefined for the text itself. */
  readonly coding: string | undefined;
};

/**
 * Encodes the text in the coding that the client prefers. Never pass a text with a secret: a caller
 * that controls a part of the text could guess the secret from the compressed length (BREACH).
 */
export async function compressText(
  text: string,
  acceptEncoding: string | string[] | undefined,
): Promise<Representation> {
  const isLong = Buffer.byteLength(text) > compressedBytesMin;
  const coding = isLong ? preferredCoding(acceptEncoding) : undefined;
  const compress = compressors[coding ?? ''];
  const headers = { vary: 'accept-encoding' };
  if (coding === undefined || compress === undefined) {
    return { body: text, headers, coding: undefined };
  }
  return {
    body: await compress(text),
    headers: { ...headers, 'content-encoding': coding },
    coding,
  };
}
