// `upload`: sends a file, and creates a link to it.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type DescMethodClientStreaming, fromJson, type JsonObject } from '@bufbuild/protobuf';
import {
  DocumentService,
  type UploadVersionRequest,
} from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import {
  CreateLinkRequestSchema,
  CreateLinkResponseSchema,
  LinkService,
} from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import {
  CommandError,
  type CommandHost,
  type Input,
  programName,
  textOption,
  UsageError,
} from '../base/command.ts';
import { unreadable } from '../base/files.ts';
import { formatBytes, wantsJson, write, writeJson } from '../base/print.ts';
import { abortOnSignal } from '../base/signals.ts';
import { cleanText } from '../base/text.ts';
import { keyHeader, nextKey, withKey } from './idempotency.ts';
import { type Progress, startProgress } from './progress.ts';
import { openRemote, type Remote } from './remote.ts';
import { timeOf } from './request.ts';
import { jsonOf } from './response.ts';
import { workspaceIdOf } from './run-call.ts';

export async function runUpload(input: Input, host: CommandHost): Promise<number> {
  const source = await openSource(input, host);
  const link = readLinkOptions(input);
  const remote = await openRemote(host);
  return withKey(input, host, (key) => run({ input, host, remote, source, link, key }));
}

type Run = {
  readonly input: Input;
  readonly host: CommandHost;
  readonly remote: Remote;
  readonly source: Source;
  readonly link: JsonObject | undefined;
  readonly key: string;
};

async function run({ input, host, remote, source, link, key }: Run): Promise<number> {
  const workspaceId = workspaceIdOf(input, remote) ?? '';
  const target = { documentId: textOption(input, 'document') ?? '', workspaceId, key };
  const document = await upload(remote, source, target, host);
  const size = formatBytes(Number(document.size_bytes));
  host.stderr.write(`Uploaded ${cleanText(String(document.name))} (${size}).\n`);
  const documentId = cleanText(String(document.id));
  if (link === undefined) {
    await (wantsJson(input) ? writeJson(host, { document }) : write(host, `${documentId}\n`));
    return 0;
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
  if (wantsJson(input)) {
    await writeJson(host, { document, link: created });
    return 0;
  }
  await write(host, `${cleanText(String(created.url))}\n`);
  if (host.stderr.isTTY === true) {
    const id = cleanText(String(created.id));
    host.stderr.write(`Its views: ${programName(host)} views list ${id}\n`);
  }
  return 0;
}

const linkFlags = ['email-required', 'email-verification-required', 'allow-download'];

/** Returns undefined without `--share`. */
function readLinkOptions(input: Input): JsonObject | undefined {
  const flags = linkFlags.filter((name) => input.options[name] === true);
  const expires = textOption(input, 'expires');
  if (input.options.share !== true) {
    const [first] = expires === undefined ? flags : [...flags, 'expires'];
    if (first !== undefined) throw new UsageError(`--${first} needs --share.`);
    return undefined;
  }
  return {
    ...Object.fromEntries(flags.map((name) => [name.replaceAll('-', '_'), true])),
    ...(expires === undefined ? {} : { expire_time: timeOf(expires) }),
  };
}

type Source = {
  readonly name: string;
  readonly fileName: string;
  /** Undefined for the standard input and for pipes. */
  readonly sizeBytes: number | undefined;
  readonly open: () => AsyncIterable<Uint8Array>;
};

const chunkBytes = 64 * 1024;

async function openSource(input: Input, { stdin }: CommandHost): Promise<Source> {
  const { file = '' } = input.args;
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
  readonly workspaceId: string;
  readonly key: string;
};

async function upload(
  remote: Remote,
  source: Source,
  { documentId, workspaceId, key }: Target,
  host: CommandHost,
): Promise<JsonObject> {
  const { uploadDocument, uploadVersion } = DocumentService.method;
  const method: DescMethodClientStreaming = documentId === '' ? uploadDocument : uploadVersion;
  const stopping = abortOnSignal(host, new CommandError('Interrupted.', undefined, 'interrupted'));
  const progress = startProgress(host, cleanText(source.fileName), source.sizeBytes);
  const reading: { error?: unknown } = {};
  try {
    const message = await remote.authorized(method, async (transport) => {
      const ids = documentId === '' ? { workspaceId } : { documentId, workspaceId };
      const parts = partsOf(source, ids, progress, reading);
      const { signal } = stopping;
      const answer = await transport.stream(method, signal, 0, keyHeader(key), parts);
      for await (const one of answer.message) return one;
      throw new Error('the server sent no answer');
    });
    return jsonOf(method.output, message).document as JsonObject;
  } catch (error) {
    if (reading.error === undefined) throw error;
    throw new CommandError('The file cannot be read', reading.error, 'output');
  } finally {
    progress.end();
    stopping.end();
  }
}

async function* partsOf(
  { name, fileName, sizeBytes = 0, open }: Source,
  ids: { readonly workspaceId: string; readonly documentId?: string },
  progress: Progress,
  reading: { error?: unknown },
): AsyncIterable<Partial<Omit<UploadVersionRequest, '$typeName'>>> {
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
