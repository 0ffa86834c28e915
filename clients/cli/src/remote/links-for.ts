// `links create-for`: creates a link for each recipient.
import { text } from 'node:stream/consumers';
import { create, type JsonObject } from '@bufbuild/protobuf';
import {
  BatchCreateLinksRequestSchema,
  BatchCreateLinksResponseSchema,
  CreateLinkRequestSchema,
  LinkService,
} from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import {
  CommandError,
  type CommandHost,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { readInput } from '../base/files.ts';
import { wantsJson, writeJson, writeLine } from '../base/print.ts';
import { type Recipient, readRecipients, readRows } from '../base/recipients.ts';
import { keyHeader, withKey } from './idempotency.ts';
import { linksForFields, warnAboutLink } from './link-fields.ts';
import { workspaceIdOf } from './named-ids.ts';
import { openRemote } from './remote.ts';
import { readRequest } from './request.ts';
import { jsonOf } from './response.ts';

const recipientsMax = 200;

export async function runLinksFor(input: Input, host: CommandHost): Promise<number> {
  const { documentId, file } = readArguments(input);
  const recipients = await readFileOfRecipients(file, host);
  const spec = { fields: linksForFields };
  const shared = await readRequest(CreateLinkRequestSchema, spec, { input, host });
  const { mailMessage } = shared;
  const remote = await openRemote(host);
  const request = create(BatchCreateLinksRequestSchema, {
    workspaceId: workspaceIdOf(input, remote) ?? '',
    agreement: textOption(input, 'agreement') ?? '',
    mailMessage,
    requests: recipients.map(({ recipient }) => ({
      ...shared,
      ...{ mailMessage: '', documentId, recipient },
    })),
  });
  const method = LinkService.method.batchCreateLinks;
  const message = await withKey(input, host, (key) =>
    remote.call(method, request, keyHeader(key)),
  ).catch((error: unknown) => {
    throw withLines(error, recipients);
  });
  const { links } = jsonOf(BatchCreateLinksResponseSchema, message) as { links: JsonObject[] };
  // All links open the same document or folder.
  const [first] = links;
  if (first !== undefined) warnAboutLink(first, host);
  if (wantsJson(input)) await writeJson(host, { links });
  else for (const { recipient, url } of links) await writeLine(host, `${recipient}`, `${url}`);
  return 0;
}

/** With a folder, the file is the only argument. */
function readArguments({ args, options }: Input): { documentId: string; file: string } {
  const { 'document-id': first, file: second } = args;
  if (options.folder !== undefined && second !== undefined) {
    throw new UsageError('--folder cannot be used with the id of a document.');
  }
  const [documentId, file] = options.folder === undefined ? [first, second] : ['', first];
  if (documentId === undefined) throw new UsageError('Missing argument <document-id>.');
  if (file === undefined) throw new UsageError('Missing argument <file>.');
  return { documentId, file };
}

async function readFileOfRecipients(file: string, host: CommandHost): Promise<Recipient[]> {
  const content = file === '-' ? await text(host.stdin) : await readInput(file);
  const recipients = readRecipients(readRows(content.toString()));
  if (recipients.length === 0) throw new UsageError('There are no recipients.');
  const empty = recipients.find(({ recipient }) => recipient === '');
  if (empty !== undefined) throw new UsageError(`Line ${empty.line} has no address.`);
  if (recipients.length > recipientsMax) {
    throw new UsageError(`There are more than ${recipientsMax} recipients.`);
  }
  return recipients;
}

/** Names the line of the file instead of the number of the request, which begins with 0. */
function withLines(error: unknown, recipients: readonly Recipient[]): unknown {
  if (!(error instanceof CommandError)) return error;
  error.message = error.message.replace(/\brequests\[(\d+)\]\.?/g, (whole, index: string) => {
    const line = recipients[Number(index)]?.line;
    return line === undefined ? whole : `line ${line}, `;
  });
  return error;
}
