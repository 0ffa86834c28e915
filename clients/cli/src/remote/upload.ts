// `upload`: sends a file, and creates a link to it.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import {
  create,
  type DescMethodClientStreaming,
  fromJson,
  type JsonObject,
} from '@bufbuild/protobuf';
import {
  DocumentService,
  GetDocumentRequestSchema,
  type UploadVersionRequest,
} from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import {
  CreateLinkRequestSchema,
  CreateLinkResponseSchema,
  LinkService,
} from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { copyToClipboard } from '../base/clipboard.ts';
import {
  CommandError,
  type CommandHost,
  type Input,
  programName,
  textOption,
  UsageError,
} from '../base/command.ts';
import { unreadable } from '../base/files.ts';
import { formatBytes, wantsJson, writeJson, writeLine } from '../base/print.ts';
import { untilInterrupted } from '../base/signals.ts';
import { cleanText } from '../base/text.ts';
import { keyHeader, nextKey, withKey } from './idempotency.ts';
import { linkFlagsOf, warnAboutLink } from './link-fields.ts';
import { workspaceIdOf } from './named-ids.ts';
import { type Progress, startProgress } from './progress.ts';
import { openRemote, type Remote } from './remote.ts';
import { timeOf } from './request.ts';
import { jsonOf } from './response.ts';
import { onlyMessage } from './transport.ts';

export async function runUpload(input: Input, host: CommandHost): Promise<number> {
  const files = [input.args.file ?? '', ...input.more];
  if (input.options.folder !== undefined && input.options.document !== undefined) {
    throw new UsageError('--folder cannot be used with --document.');
  }
  for (const name of ['name', 'document']) {
    if (files.length > 1 && input.options[name] !== undefined) {
      throw new UsageError(`--${name} cannot be used with several files.`);
    }
  }
  if (input.options.copy === true && files.length > 1) {
    throw new UsageError('--copy cannot be used with several files.');
  }
  // Each file is checked before the first one is sent.
  const sources: Source[] = [];
  for (const file of files) sources.push(await openSource(file, input, host));
  const link = readLinkOptions(input);
  const remote = await openRemote(host);
  const workspaceId = workspaceIdOf(input, remote) ?? '';
  return withKey(input, host, async (first) => {
    let key = first;
    for (const source of sources) {
      await uploadAndShare({ input, host, remote, source, link, workspaceId, key });
      // A link has the next key.
      key = nextKey(nextKey(key));
    }
    return 0;
  });
}

type Run = {
  readonly input: Input;
  readonly host: CommandHost;
  readonly remote: Remote;
  readonly source: Source;
  readonly link: JsonObject | undefined;
  readonly workspaceId: string;
  readonly key: string;
};

async function uploadAndShare(run: Run): Promise<void> {
  const { input, host, remote, source, link, workspaceId, key } = run;
  const documentIdGiven = textOption(input, 'document') ?? '';
  const folderId = textOption(input, 'folder') ?? '';
  const target = { documentId: documentIdGiven, folderId, workspaceId, key };
  const typeBefore = await findType(remote, documentIdGiven, workspaceId);
  const document = await upload(remote, source, target, host);
  const size = formatBytes(Number(document.size_bytes));
  host.stderr.write(`Uploaded ${cleanText(String(document.name))} (${size}).\n`);
  if (typeBefore !== undefined && typeBefore !== document.content_type) {
    const types = cleanText(`${typeBefore} to ${document.content_type}`);
    host.stderr.write(`The type of the document changed from ${types}.\n`);
  }
  const documentId = cleanText(String(document.id));
  if (link === undefined) {
    return wantsJson(input) ? writeJson(host, { document }) : writeLine(host, documentId);
  }
  const request = { ...link, document_id: String(document.id), workspace_id: workspaceId };
  const answer = await remote
    .call(
      LinkService.method.createLink,
      fromJson(CreateLinkRequestSchema, request),
      keyHeader(nextKey(key)),
    )
    .catch((error: unknown) => {
      host.stderr.write(`The document ${documentId} is stored, but has no link.\n`);
      throw error;
    });
  const created = jsonOf(CreateLinkResponseSchema, answer).link as JsonObject;
  warnAboutLink(created, host);
  if (wantsJson(input)) await writeJson(host, { document, link: created });
  else await writeLine(host, String(created.url));
  if (input.options.copy === true) {
    await copyToClipboard('the address of the link', String(created.url), host);
  }
  if (host.stderr.isTTY === true && !wantsJson(input)) {
    const given = textOption(input, 'workspace');
    const workspace = given === undefined ? '' : ` --workspace ${given}`;
    const words = cleanText(`views list ${created.id}${workspace}`);
    host.stderr.write(`Its views: ${programName(host)} ${words}\n`);
  }
}

/** Returns undefined without `--share`. */
function readLinkOptions(input: Input): JsonObject | undefined {
  const flags = linkFlagsOf(input);
  const expires = textOption(input, 'expires');
  if (input.options.share !== true) {
    const [first] = [
      ...Object.keys(flags),
      ...(expires === undefined ? [] : ['expires']),
      ...(input.options.copy === true ? ['copy'] : []),
    ];
    if (first !== undefined) throw new UsageError(`--${first.replaceAll('_', '-')} needs --share.`);
    return undefined;
  }
  return {
    ...flags,
    ...(expires === undefined ? {} : { expire_time: timeOf(expires) }),
  };
}

/** The type of a document. Undefined if it cannot be read: the upload reports its own errors. */
async function findType(
  remote: Remote,
  documentId: string,
  workspaceId: string,
): Promise<string | undefined> {
  if (documentId === '') return undefined;
  const request = create(GetDocumentRequestSchema, { documentId, workspaceId });
  const { getDocument } = DocumentService.method;
  const answer = await remote.call(getDocument, request).catch(() => undefined);
  return answer?.document?.contentType;
}

type Source = {
  readonly name: string;
  readonly fileName: string;
  /** Undefined for the standard input and for pipes. */
  readonly sizeBytes: number | undefined;
  readonly open: () => AsyncIterable<Uint8Array>;
};

const chunkBytes = 64 * 1024;

async function openSource(file: string, input: Input, { stdin }: CommandHost): Promise<Source> {
  const name = textOption(input, 'name') ?? '';
  if (file === '-') {
    if (name === '') throw new UsageError('The standard input has no name: add --name.');
    return { name, fileName: name, sizeBytes: undefined, open: onlyOnce(stdin) };
  }
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (found.isDirectory()) throw new UsageError(`${file} is a folder.`);
  return {
    name,
    fileName: path.basename(file),
    sizeBytes: found.isFile() ? found.size : undefined,
    open: () => createReadStream(file, { highWaterMark: chunkBytes }),
  };
}

/** The call is repeated if the token was just revoked. */
function onlyOnce(stream: AsyncIterable<Uint8Array>): Source['open'] {
  let isOpen = false;
  return () => {
    if (isOpen) throw new Error('the standard input was already read; run the command again');
    isOpen = true;
    return stream;
  };
}

/** Without a document, the upload becomes a new one. */
type Target = {
  readonly documentId: string;
  readonly folderId: string;
  readonly workspaceId: string;
  readonly key: string;
};

async function upload(
  remote: Remote,
  source: Source,
  { documentId, folderId, workspaceId, key }: Target,
  host: CommandHost,
): Promise<JsonObject> {
  const { uploadDocument, uploadVersion } = DocumentService.method;
  const method: DescMethodClientStreaming = documentId === '' ? uploadDocument : uploadVersion;
  const progress = startProgress(host, cleanText(source.fileName), source.sizeBytes);
  const reading: { error?: unknown } = {};
  try {
    const message = await untilInterrupted(host, (signal) =>
      remote.authorized(method, async (transport) => {
        const ids = documentId === '' ? { workspaceId, folderId } : { documentId, workspaceId };
        const parts = partsOf(source, ids, progress, reading);
        return onlyMessage(await transport.stream(method, signal, 0, keyHeader(key), parts));
      }),
    );
    return jsonOf(method.output, message).document as JsonObject;
  } catch (error) {
    if (reading.error === undefined) throw error;
    throw new CommandError('The file cannot be read', reading.error, 'output');
  } finally {
    progress.end();
  }
}

type UploadIds = {
  readonly workspaceId: string;
  readonly documentId?: string;
  readonly folderId?: string;
};

async function* partsOf(
  { name, fileName, sizeBytes = 0, open }: Source,
  ids: UploadIds,
  progress: Progress,
  reading: { error?: unknown },
): AsyncIterable<UploadIds | Partial<Omit<UploadVersionRequest, '$typeName'>>> {
  yield { ...ids, fileName, name, sizeBytes: BigInt(sizeBytes) };
  try {
    for await (const bytes of open()) {
      for (let start = 0; start < bytes.length; start += chunkBytes) {
        const file = Buffer.from(bytes).subarray(start, start + chunkBytes);
        yield { file };
        progress.add(file.length);
      }
    }
  } catch (error) {
    reading.error = error;
    throw error;
  }
}
