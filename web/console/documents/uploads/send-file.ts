import { Code, ConnectError } from '@connectrpc/connect';
import { parseJsonObject, parseProblem } from '../../session/problem-error.ts';
import type { Session } from '../../session/session.ts';

export type SendOptions = {
  readonly workspaceId: string;
  readonly signal: AbortSignal;
  /** Is told the share that has been sent, 0 to 1. */
  readonly onProgress: (share: number) => void;
};

/** Stores a file, and tells the document's id. Throws what the service says against it. */
export type SendFile = (file: File, options: SendOptions) => Promise<string>;

export function createSendFile(session: Session): SendFile {
  return (file, options) => session.send((token) => send(file, token, options));
}

/** By XMLHttpRequest, since `fetch` tells nothing of how far a body has come. */
function send(file: File, token: string, options: SendOptions): Promise<string> {
  const { workspaceId, signal, onProgress } = options;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open('POST', '/api/v1/documents');
    request.setRequestHeader('authorization', `Bearer ${token}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.onload = () => {
      const { status, responseText } = request;
      const { id } = status === 201 ? parseJsonObject(responseText) : {};
      if (typeof id === 'string') resolve(id);
      else reject(parseProblem(status, responseText, request.getResponseHeader('retry-after')));
    };
    request.onerror = () => reject(new ConnectError('the connection was lost', Code.Unavailable));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(formOf(file, workspaceId));
  });
}

function formOf(file: File, workspaceId: string): FormData {
  const form = new FormData();
  form.append('workspace_id', workspaceId);
  // A form writes a quote within a file's name as `%22`.
  if (file.name.includes('"')) form.append('name', file.name);
  form.append('file', file, file.name);
  return form;
}
