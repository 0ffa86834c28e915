// Reads the workspace from the first messages of an upload, so that the upload can be refused
// before its bytes are stored.
import type { HandlerContext } from '@connectrpc/connect';
import type { UploadDocumentRequest } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { callerOf, principalId } from '../../api/principal.ts';
import { resolveWorkspace } from '../../api/workspace.ts';

type Messages = AsyncGenerator<UploadDocumentRequest>;

export type UploadStart = {
  /** Undefined if the file's bytes precede the workspace id. */
  readonly workspaceId: string | undefined;
  /** The owner of the upload: the workspace, or the caller if the workspace is unknown. */
  readonly owner: string;
  readonly messages: AsyncIterable<UploadDocumentRequest>;
};

/** Messages that can precede the file: one for each other field. */
const firstMax = 5;

export async function readUploadStart(
  messages: Messages,
  context: HandlerContext,
): Promise<UploadStart> {
  const { principal } = callerOf(context);
  if (principal.type === 'workspace_key') {
    const { workspaceId } = principal;
    return { workspaceId, owner: workspaceId, messages };
  }
  const first: UploadDocumentRequest[] = [];
  let named = '';
  while (named === '' && first.length < firstMax) {
    const next = await messages.next();
    if (next.done) break;
    first.push(next.value);
    named = next.value.workspaceId;
    if (next.value.file.length > 0) break;
  }
  const all = chain(first, messages);
  if (named === '') return { workspaceId: undefined, owner: principalId(principal), messages: all };
  const workspaceId = await resolveWorkspace(context, named);
  return { workspaceId, owner: workspaceId, messages: all };
}

async function* chain(first: readonly UploadDocumentRequest[], rest: Messages): Messages {
  yield* first;
  yield* rest;
}
