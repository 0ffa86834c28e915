// `links create-for`: creates a link for each recipient.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import {
  BatchCreateLinksRequestSchema,
  BatchCreateLinksResponseSchema,
  LinkService,
} from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import {
  CommandError,
  type CommandHost,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { unreadable } from '../base/files.ts';
import { wantsJson, write, writeJson } from '../base/print.ts';
import { type Recipient, readRecipients, readRows } from '../base/recipients.ts';
import { cleanText } from '../base/text.ts';
import { keyHeader, withKey } from './idempotency.ts';
import { linkFlagsOf } from './link-flags.ts';
import { warnAboutLink } from './link-warnings.ts';
import { openRemote } from './remote.ts';
import { timeOf } from './request.ts';
import { jsonOf } from './response.ts';
import { workspaceIdOf } from './run-call.ts';

const recipientsMax = 200;

export async function runLinksFor(input: Input, host: CommandHost): Promise<number> {
  const recipients = await readFileOfRecipients(input.args.file ?? '', host);
  const options = readOptions(input);
  const remote = await openRemote(host);
  const request = fromJson(BatchCreateLinksRequestSchema, {
    workspace_id: workspaceIdOf(input, remote) ?? '',
    agreement: textOption(input, 'agreement') ?? '',
    requests: recipients.map(({ recipient }) => ({ ...options, recipient })),
  });
  const method = LinkService.method.batchCreateLinks;
  const message = await withKey(input, host, (key) =>
    remote.call(method, request, keyHeader(key)),
  ).catch((error: unknown) => {
    throw withLines(error, recipients);
  });
  const { links } = jsonOf(BatchCreateLinksResponseSchema, message) as { links: JsonObject[] };
  // All links open the same document.
  const [first] = links;
  if (first !== undefined) warnAboutLink(first, host);
  if (wantsJson(input)) await writeJson(host, { links });
  else {
    const lines = links.map(({ recipient, url }) => `${cleanText(`${recipient}`)}\t${url}\n`);
    await write(host, lines.join(''));
  }
  return 0;
}

function readOptions(input: Input): JsonObject {
  const expires = textOption(input, 'expires');
  const limit = textOption(input, 'view-limit');
  if (limit !== undefined && !/^\d{1,7}$/.test(limit)) {
    throw new UsageError(`"${limit}" is not a whole number.`);
  }
  return {
    document_id: input.args['document-id'] ?? '',
    mail_recipient: input.options.mail === true,
    ...linkFlagsOf(input),
    ...(expires === undefined ? {} : { expire_time: timeOf(expires) }),
    ...(limit === undefined ? {} : { view_limit: Number(limit) }),
  };
}

async function readFileOfRecipients(file: string, host: CommandHost): Promise<Recipient[]> {
  const content =
    file === '-'
      ? await text(host.stdin)
      : await readFile(file, 'utf8').catch((error: unknown) => {
          throw unreadable(file, error);
        });
  const recipients = readRecipients(readRows(content));
  if (recipients.length === 0) throw new UsageError('There are no recipients.');
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
