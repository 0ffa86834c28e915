// A `multipart/form-data` body (RFC 7578) as a stream, for `fetch` in Node.
import { type OpenSource, piecesOf, type UploadOptions } from './upload-source.ts';

/** Names and values as HTML specifies them for forms. */
const escaped = (text: string) =>
  text.replace(/["\r\n]/g, (character) => encodeURIComponent(character));

export type MultipartBody = {
  readonly contentType: string;
  readonly stream: ReadableStream<Uint8Array>;
};

export function multipartBody(
  fields: ReadonlyMap<string, string>,
  source: OpenSource,
  onProgress: UploadOptions['onProgress'],
): MultipartBody {
  const boundary = `latchkey-${crypto.randomUUID()}`;
  const parts = partsOf(boundary, fields, source, onProgress);
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
  return { contentType: `multipart/form-data; boundary=${boundary}`, stream };
}

async function* partsOf(
  boundary: string,
  fields: ReadonlyMap<string, string>,
  source: OpenSource,
  onProgress: UploadOptions['onProgress'],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let head = '';
  for (const [name, value] of fields) {
    head += `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  }
  const type = source.contentType.replace(/[\r\n]/g, ' ') || 'application/octet-stream';
  head += `--${boundary}\r\nContent-Disposition: form-data; name="file"; `;
  head += `filename="${escaped(source.fileName)}"\r\nContent-Type: ${type}\r\n\r\n`;
  yield encoder.encode(head);
  yield* piecesOf(source, onProgress);
  yield encoder.encode(`\r\n--${boundary}--\r\n`);
}
