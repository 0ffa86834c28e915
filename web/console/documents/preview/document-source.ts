import { type Document, Preview } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { type FileSource, wholeBytesMax } from '../../../viewer/loading/file-source.ts';
import type { BytesRequest } from '../../session/fetch-bytes.ts';
import type { Session } from '../../session/session.ts';
import { fetchDocument, fetchPreview } from '../fetch-document.ts';

/** `onError` receives the error of a failed read; the read itself never settles. */
export async function openSource(
  session: Session,
  document: Document,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<FileSource> {
  const fetchPart = async (request: BytesRequest) => {
    const bytes = await fetchDocument(session, document, { ...request, signal });
    return new Uint8Array(await bytes.arrayBuffer());
  };
  if (document.preview === Preview.READY) {
    // Its size is not known before.
    const preview = await fetchPreview(session, document, { signal });
    const whole = new Uint8Array(await preview.arrayBuffer());
    return { length: whole.length, whole, read: async (begin, end) => whole.slice(begin, end) };
  }
  const isSmall = document.sizeBytes <= wholeBytesMax;
  return {
    length: document.sizeBytes,
    whole: isSmall ? await fetchPart({}) : undefined,
    read: (begin, end) =>
      fetchPart({ range: [begin, end] }).catch((error) => {
        if (!signal.aborted) onError(error);
        return new Promise<never>(() => {});
      }),
  };
}
