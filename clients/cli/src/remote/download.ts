// `documents download` and `views export`: write the bytes that the server sends.
import path from 'node:path';
import type { DescMethodServerStreaming } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AuditService } from '../../../../gen/latchkey/identity/v1/audit_pb.js';
import { UserService } from '../../../../gen/latchkey/identity/v1/user_pb.js';
import {
  DocumentService,
  type DownloadDocumentResponse,
} from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { InsightService } from '../../../../gen/latchkey/sharing/v1/insight_pb.js';
import { VisitorService } from '../../../../gen/latchkey/sharing/v1/visitor_pb.js';
import {
  CommandError,
  type CommandHost,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { writeNewFile } from '../base/files.ts';
import { write } from '../base/print.ts';
import { untilInterrupted } from '../base/signals.ts';
import { explain } from './errors.ts';
import { readLinkId, workspaceIdOf } from './named-ids.ts';
import { openRemote, type Remote } from './remote.ts';
import { timeOf } from './request.ts';

export async function runDownload(input: Input, host: CommandHost): Promise<number> {
  if (host.stdout.isTTY === true && textOption(input, 'output') === undefined) {
    throw new UsageError('A terminal cannot show a document. Name a file with --output.');
  }
  const documentId = input.args['document-id'] ?? '';
  const remote = await openRemote(host);
  const version = readVersion(textOption(input, 'version') ?? '0');
  const request = { documentId, version, preview: input.options.preview === true };
  return save(DocumentService.method.downloadDocument, request, { remote, input, host });
}

function readVersion(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError('The version must be a number.');
}

export async function runExport(input: Input, host: CommandHost): Promise<number> {
  const { id = '' } = input.args;
  const { exportDocumentViews, exportLinkViews } = InsightService.method;
  const remote = await openRemote(host);
  const run = { remote, input, host };
  if (id.startsWith('doc_')) return save(exportDocumentViews, { documentId: id }, run);
  const linkId = await readLinkId(id, remote, workspaceIdOf(input, remote));
  return save(exportLinkViews, { linkId }, run);
}

export async function runExportVisitors(input: Input, host: CommandHost): Promise<number> {
  const remote = await openRemote(host);
  return save(VisitorService.method.exportVisitors, {}, { remote, input, host });
}

export async function runExportAudit(input: Input, host: CommandHost): Promise<number> {
  const remote = await openRemote(host);
  const text = (name: string) => textOption(input, name) ?? '';
  const time = (name: string) => {
    const given = textOption(input, name);
    return given === undefined ? undefined : timestampFromDate(new Date(timeOf(given, 'past')));
  };
  const request = {
    ...{ actor: text('actor'), target: text('target'), action: text('action') },
    ...{ code: text('code'), tokenId: text('token-id'), format: text('format') },
    ...{ startTime: time('start-time'), endTime: time('end-time') },
  };
  return save(AuditService.method.exportAuditEvents, request, { remote, input, host });
}

export async function runExportUser(input: Input, host: CommandHost): Promise<number> {
  const remote = await openRemote(host);
  return save(UserService.method.exportUser, { userId: 'me' }, { remote, input, host });
}

type Run = { readonly remote: Remote; readonly input: Input; readonly host: CommandHost };

async function save(
  method: DescMethodServerStreaming,
  request: object,
  { remote, input, host }: Run,
): Promise<number> {
  const output = textOption(input, 'output') ?? '-';
  const workspaceId = workspaceIdOf(input, remote) ?? '';
  try {
    await untilInterrupted(host, (signal) =>
      remote.authorized(method, async (transport) => {
        async function* one() {
          yield { ...request, workspaceId };
        }
        const answer = await transport.stream(method, signal, 0, undefined, one());
        const chunks = chunksOf(answer.message, remote.profile.server);
        if (output === '-') for await (const bytes of chunks) await write(host, bytes);
        else await writeNewFile(path.resolve(output), chunks);
      }),
    );
    return 0;
  } catch (error) {
    if (error instanceof CommandError || output === '-') throw error;
    throw new CommandError('The file was not written', error, 'output');
  }
}

/** Each response is a header or the next bytes. */
async function* chunksOf(messages: AsyncIterable<unknown>, server: string) {
  try {
    for await (const message of messages) {
      const { part } = message as Pick<DownloadDocumentResponse, 'part'>;
      if (part.case === 'chunk') yield part.value;
    }
  } catch (error) {
    throw explain(error, server);
  }
}
