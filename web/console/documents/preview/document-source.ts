import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import type { FileSource } from '../../../viewer/file-source.ts';
import type { Session } from '../../session/session.ts';
import { type FileRequest, fetchDocument } from '../document-file.ts';

/** Up to this size a file comes in one answer. */
const wholeBytesMax = 512 * 1024;

/** `onError` is told why bytes do not come; whoever has asked for them waits. */
export async function openSource(
  session: Session,
  document: Document,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<FileSource> {
  const fetchBytes = async (request: FileRequest) => {
    const response = await fetchDocument(session, document, { ...request, signal });
    return new Uint8Array(await response.arrayBuffer());
  };
  const isSmall = document.sizeBytes <= wholeBytesMax;
  return {
    length: document.sizeBytes,
    whole: isSmall ? await fetchBytes({}) : undefined,
    read: (begin, end) =>
      fetchBytes({ range: [begin, end] }).catch((error) => {
        if (!signal.aborted) onError(error);
        return new Promise<never>(() => {});
      }),
  };
}
