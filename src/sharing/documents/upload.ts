// Reads the messages of an upload. The first ones name the workspace and the document, so that the
// upload can be refused before its bytes are stored. The bytes go to the blob, the other fields
// stay here.
import { createHash } from 'node:crypto';
import type { Message } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import type { UploadDocumentRequest } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { requiredName } from '../../api/fields.ts';
import { callerOf, principalId } from '../../api/principal.ts';
import { resolveWorkspace } from '../../api/workspace.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { isBlank, printableOf } from '../../base/net/printable.ts';
import { detectContentType, inspectedBytesMax } from './content-type.ts';

const nameLengthMax = 255;

export type UploadResult = {
  readonly name: string | undefined;
  /** The name for a document without another one. */
  readonly nameOfFile: string;
  readonly workspaceId: string;
  readonly folderId: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
};

/**
 * A message of an upload of a document or a version. Only a version has `documentId`, and only a
 * document `folderId`.
 */
export type UploadMessage = Omit<UploadDocumentRequest, keyof Message | 'folderId'> & {
  readonly documentId?: string;
  readonly folderId?: string;
};

type FieldName =
  | 'name'
  | 'file_name'
  | 'content_type'
  | 'workspace_id'
  | 'size_bytes'
  | 'document_id'
  | 'folder_id';

/** Whether a message has neither bytes nor another field. A client can send any number of them. */
export const isEmptyMessage = (message: UploadMessage) =>
  message.file.length === 0 &&
  message.sizeBytes === 0n &&
  [message.name, message.fileName, message.contentType, message.workspaceId].every(
    (field) => field === '',
  ) &&
  (message.documentId ?? '') === '' &&
  (message.folderId ?? '') === '';

type Messages = AsyncGenerator<UploadMessage>;

type UploadStart = {
  /** Undefined if the file's bytes precede the workspace id. */
  readonly workspaceId: string | undefined;
  /** The owner of the upload: the workspace, or the caller if the workspace is unknown. */
  readonly owner: string;
  /** The document that gets a version. Empty for an upload of a document. */
  readonly documentId: string;
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

/** One upload. First read all of `bytes()`, then call `finish()` for the other facts. */
export class Upload {
  readonly #messages: AsyncIterable<UploadMessage>;
  readonly #bytesMax: number;
  readonly #hash = createHash('sha256');
  readonly #fields = new Map<FieldName, string>();
  #head = Buffer.alloc(0);
  #size = 0;
  #declared: number | undefined;

  constructor(messages: AsyncIterable<UploadMessage>, bytesMax: number) {
    this.#messages = messages;
    this.#bytesMax = bytesMax;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    for await (const message of this.#messages) {
      this.#take('name', message.name);
      this.#take('file_name', message.fileName);
      this.#take('content_type', message.contentType);
      this.#take('workspace_id', message.workspaceId);
      this.#take('document_id', message.documentId ?? '');
      this.#take('folder_id', message.folderId ?? '');
      this.#declare(message.sizeBytes);
      if (message.file.length === 0) continue;
      this.#count(message.file);
      yield message.file;
    }
    if (this.#size === 0) throw invalid('file', 'must not be empty or missing');
    if (this.#size !== (this.#declared ?? this.#size)) throw otherSize();
  }

  #take(field: FieldName, value: string): void {
    if (value === '') return;
    if (this.#fields.has(field)) throw invalid(field, 'must be set only once');
    if (field === 'name') checkName(value);
    this.#fields.set(field, value);
  }

  #declare(size: bigint): void {
    if (size === 0n) return;
    this.#take('size_bytes', `${size}`);
    this.#declared = Number(size);
    if (this.#declared > this.#bytesMax) throw tooLarge(this.#bytesMax);
  }

  #count(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size > this.#bytesMax) throw tooLarge(this.#bytesMax);
    if (this.#size > (this.#declared ?? this.#size)) throw otherSize();
    this.#hash.update(chunk);
    const missing = inspectedBytesMax - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
  }

  async finish(): Promise<UploadResult> {
    const field = (name: FieldName) => this.#fields.get(name) ?? '';
    const contentType = await detectContentType(this.#head, {
      names: [field('file_name'), field('name')],
      declared: field('content_type'),
      isWhole: this.#head.length === this.#size,
    });
    return {
      name: this.#fields.get('name'),
      nameOfFile: nameOfFile(field('file_name')),
      workspaceId: field('workspace_id'),
      folderId: field('folder_id'),
      contentType,
      sizeBytes: this.#size,
      sha256: this.#hash.digest('hex'),
    };
  }
}

const tooLarge = (bytesMax: number) =>
  fail('payload_too_large', `The file is larger than ${bytesMax} bytes.`);

const otherSize = () => invalid('size_bytes', 'must be the size of the file');

export function checkName(name: string): void {
  requiredName(name);
  if ([...name].length > nameLengthMax) {
    throw invalid('name', `must be at most ${nameLengthMax} characters`);
  }
}

/** Creates a valid name from a file name: removes the path and characters that are not allowed. */
function nameOfFile(fileName: string): string {
  const last = fileName.split(/[/\\]/).at(-1) ?? '';
  const readable = printableOf(last).trim();
  // Cuts between characters, not inside a surrogate pair.
  const clean = [...readable].slice(0, nameLengthMax).join('');
  return isBlank(clean) || clean === '.' || clean === '..' ? 'document' : clean;
}
