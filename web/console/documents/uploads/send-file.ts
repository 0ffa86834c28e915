import { Code, ConnectError } from '@connectrpc/connect';
import { parseJsonObject, parseProblem } from '../../session/problem-error.ts';
import type { Session } from '../../session/session.ts';
import type { UploadPlace } from './upload-place.ts';

export type SendOptions = UploadPlace & {
  readonly signal: AbortSignal;
  /** Receives the share that has been sent, 0 to 1. */
  readonly onProgress: (share: number) => void;
};

/** The document of a file that was uploaded. */
export type StoredFile = {
  readonly documentId: string;
  readonly contentType: string;
  readonly sha256: string;
};

/** Uploads a file. Throws the error of the service. */
export type SendFile = (file: File, options: SendOptions) => Promise<StoredFile>;

export function createSendFile(session: Session): SendFile {
  return (file, options) => session.send((token) => send(file, token, options));
}

/** Uses XMLHttpRequest, because `fetch` does not report upload progress. */
function send(file: File, token: string, options: SendOptions): Promise<StoredFile> {
  const { documentId, signal, onProgress } = options;
  const path = documentId === undefined ? '' : `/${encodeURIComponent(documentId)}/versions`;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('POST', `/api/v1/documents${path}`);
    request.setRequestHeader('authorization', `Bearer ${token}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => {
      const { status, responseText } = request;
      const { id, content_type, sha256 } = status === 201 ? parseJsonObject(responseText) : {};
      if (typeof id === 'string') {
        const contentType = String(content_type);
        resolve({ documentId: id, contentType, sha256: String(sha256) });
      } else reject(parseProblem(status, responseText, request.getResponseHeader('retry-after')));
    };
    request.onerror = () => reject(new ConnectError('The connection was lost.', Code.Unavailable));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(formOf(file, options));
  });
}

function formOf(file: File, { workspaceId, folderId, documentId }: SendOptions): FormData {
  const form = new FormData();
  form.append('workspace_id', workspaceId);
  if (folderId !== undefined) form.append('folder_id', folderId);
  // Multipart forms encode a quote in a file name as `%22`.
  if (documentId === undefined && file.name.includes('"')) form.append('name', file.name);
  form.append('file', file, file.name);
  return form;
}
