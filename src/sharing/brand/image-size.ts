// Reads the width and height of a logo from its headers.
export type Size = { readonly width: number; readonly height: number };

/** The headers that contain the size are at the beginning of a PNG and of a WebP file. */
const headBytes = 64;

/**
 * Returns undefined if the image is damaged. Only the parser of the detected type may read it:
 * image-size detects the type differently, and its SVG parser can block for seconds.
 */
export async function imageSizeOf(contentType: string, bytes: Buffer): Promise<Size | undefined> {
  if (contentType === 'image/jpeg') return jpegSizeOf(bytes);
  const parser = await parserOf(contentType);
  // A copy, because the parsers read beyond the end of a Buffer that shares its memory.
  const head = new Uint8Array(bytes.subarray(0, headBytes));
  try {
    return parser?.validate(head) ? parser.calculate(head) : undefined;
  } catch {
    return undefined;
  }
}

// Few processes ever need the parsers.
async function parserOf(contentType: string) {
  if (contentType === 'image/png') return (await import('image-size/types/png')).PNG;
  if (contentType === 'image/webp') return (await import('image-size/types/webp')).WEBP;
  return undefined;
}

const startOfScan = 0xda;

/** A segment with parameters, in front of the pixels (ITU-T T.81, table B.1). */
const hasLength = (marker: number) => marker >= 0xc0 && (marker < 0xd0 || marker > 0xd9);

/** A frame header. The other three markers of the range are tables and reserved. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/**
 * Reads each segment up to the first scan (ITU-T T.81, annex B). The JPEG parser of image-size
 * does not know fill bytes, so that other segments can contain the size that it reads. A file with
 * a second frame, or with bytes between segments, is refused: decoders read it differently.
 */
function jpegSizeOf(bytes: Buffer): Size | undefined {
  let size: Size | undefined;
  let at = 2; // after the marker of the start
  for (;;) {
    if (bytes[at] !== 0xff) return undefined;
    while (bytes[at] === 0xff) at++;
    const marker = bytes[at++] ?? 0;
    if (marker === startOfScan) return size;
    if (!hasLength(marker) || at + 2 > bytes.length) return undefined;
    const length = bytes.readUInt16BE(at);
    if (length < 2 || at + length > bytes.length) return undefined;
    if (isFrame(marker)) {
      if (size !== undefined || length < 7) return undefined;
      size = { height: bytes.readUInt16BE(at + 3), width: bytes.readUInt16BE(at + 5) };
    }
    at += length;
  }
}
