// Reads the workspace and the document from the first messages of an upload, so that the upload can
// be refused before its bytes are stored.
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf, principalId } from '../../api/principal.ts';
import { resolveWorkspace } from '../../api/workspace.ts';
import { invalid } from '../../base/errors/errors.ts';
import type { UploadMessage } from './upload.ts';

type Messages = AsyncGenerator<UploadMessage>;

export type UploadStart = {
  /** Undefined if the file's bytes precede the workspace id. */
  readonly workspaceId: string | undefined;
  /** The owner of the upload: the workspace, or the caller if the workspace is unknown. */
  readonly owner: string;
  /** The document that gets a version. Empty for an upload of a document. */
  readonly documentId: string;
  /** All messages of the upload, including those already read. */
  readonly messages: AsyncIterable<UploadMessage>;
};

/** Messages that can precede the file: one for each other field. */
const firstMax = 7;

/** `isVersion`: throws `invalid_argument` if the id of the document does not precede the file. */
export async function readUploadStart(
  messages: Messages,
  context: HandlerContext,
  isVersion: boolean,
): Promise<UploadStart> {
  const { principal } = callerOf(context);
  const first: UploadMessage[] = [];
  const own = principal.type === 'workspace_key' ? principal.workspaceId : '';
  let given = '';
  let documentId = '';
  while ((isVersion || (own === '' && given === '')) && first.length < firstMax) {
    const next = await messages.next();
    if (next.done) break;
    first.push(next.value);
    given ||= next.value.workspaceId;
    documentId ||= next.value.documentId ?? '';
    if (next.value.file.length > 0) break;
  }
  if (isVersion && documentId === '') throw invalid('document_id', 'is required before the file');
  const all = chain(first, messages);
  if (own !== '' || given !== '') {
    const workspaceId = await resolveWorkspace(context, given);
    return { workspaceId, owner: workspaceId, documentId, messages: all };
  }
  return { workspaceId: undefined, owner: principalId(principal), documentId, messages: all };
}

async function* chain(first: readonly UploadMessage[], rest: Messages): Messages {
  yield* first;
  yield* rest;
}
