// Runs the commands that call one method.
import { type DescMethodUnary, fromJson, type JsonObject, type Message } from '@bufbuild/protobuf';
import {
  CommandError,
  type CommandHost,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { type Data, wantsJson, write, writeJson, writeObject, writeRows } from '../base/print.ts';
import { canAsk, confirm } from '../base/prompt.ts';
import { cleanText, jsonText } from '../base/text.ts';
import type { CallSpec } from './call-spec.ts';
import { fieldAt, fieldOf } from './columns.ts';
import { keyHeader, withKey } from './idempotency.ts';
import { readLinkId } from './link-id.ts';
import { methodOf } from './methods.ts';
import { openRemote, type Remote } from './remote.ts';
import { readRequest } from './request.ts';
import { bodyField, itemsField, jsonOf, shownData } from './response.ts';
import { callPublic, findServer } from './server.ts';

export async function runCall(spec: CallSpec, given: Input, host: CommandHost): Promise<number> {
  const method = methodOf(spec);
  if (spec.isPublic) {
    const server = await findServer(given, host);
    const options = { input: given, host, workspaceId: undefined };
    const request = await readRequest(method.input, spec, options);
    return print(method, await callPublic(method, request, server), given, host);
  }
  const remote = await openRemote(host);
  const workspaceId = workspaceIdOf(given, remote);
  const input = await nameLink(given, remote, workspaceId);
  const request = await readRequest(method.input, spec, { input, host, workspaceId });
  if (spec.question !== undefined) await requireYes(spec.question, input, host);
  if (spec.columns !== undefined) {
    await printList({ spec, input, host, remote, method, request: jsonOf(method.input, request) });
    return 0;
  }
  const message = spec.isCreating
    ? await withKey(input, host, (key) => remote.call(method, request, keyHeader(key)))
    : await remote.call(method, request);
  return print(method, message, input, host);
}

/** Replaces the address of a link with its id. */
async function nameLink(
  input: Input,
  remote: Remote,
  workspaceId: string | undefined,
): Promise<Input> {
  const text = input.args['link-id'];
  if (text === undefined) return input;
  const id = await readLinkId(text, remote, workspaceId);
  return { ...input, args: { ...input.args, 'link-id': id } };
}

async function print(
  method: DescMethodUnary,
  message: Message,
  input: Input,
  host: CommandHost,
): Promise<number> {
  const json = jsonOf(method.output, message);
  const body = bodyField(method.output);
  const data = body === undefined ? json : (json[body.name] as JsonObject);
  if (wantsJson(input)) await writeJson(host, data);
  else if (Object.keys(data).length === 0) host.stderr.write('Done.\n');
  else await writeObject(host, shownData(body?.message ?? method.output, data), fieldAt);
  return 0;
}

/** A workspace's API key is bound to its workspace. */
export function workspaceIdOf(input: Input, { profile }: Remote): string | undefined {
  const named = textOption(input, 'workspace');
  return named ?? (profile.credential.kind === 'api-key' ? undefined : profile.workspaceId);
}

async function requireYes(question: string, input: Input, host: CommandHost): Promise<void> {
  if (input.options.yes === true) return;
  if (!canAsk(host)) throw new UsageError('This cannot be undone. Add --yes to confirm it.');
  if (!(await confirm(host, question))) throw new CommandError('Nothing was changed.');
}

type List = {
  readonly spec: CallSpec;
  readonly input: Input;
  readonly host: CommandHost;
  readonly remote: Remote;
  readonly method: DescMethodUnary;
  readonly request: JsonObject;
};

const pageSizeMax = 200;

async function printList(list: List): Promise<void> {
  const { spec, input, host, method } = list;
  const items = itemsField(method.output);
  if (items === undefined || !('message' in items) || items.message === undefined) {
    throw new Error(`${method.name} returns no list`);
  }
  const { message } = items;
  const fields = (spec.columns ?? []).map(fieldOf);
  const isTable = host.stdout.isTTY === true && !wantsJson(input);
  const table: Data[] = [];
  let count = 0;
  let last: JsonObject = {};
  for await (const page of pagesOf(list)) {
    const found = page[items.name] as JsonObject[];
    const rows = found.map((row) => shownData(message, row));
    if (isTable) table.push(...rows);
    else if (wantsJson(input)) await write(host, found.map(lineOf).join(''));
    else await writeRows(host, fields, rows);
    count += found.length;
    last = page;
  }
  if (isTable) await writeRows(host, fields, table);
  if (isTable && count === 0) host.stderr.write('Rows: 0.\n');
  if (input.options.all !== true) noteRest(last, count, host);
}

const lineOf = (row: JsonObject) => `${jsonText(row)}\n`;

async function* pagesOf({ input, remote, method, request }: List): AsyncIterable<JsonObject> {
  const isAll = input.options.all === true;
  const size = isAll && input.options['page-size'] === undefined ? { page_size: pageSizeMax } : {};
  let next: JsonObject = { ...request, ...size };
  for (;;) {
    const answer = await remote.call(method, fromJson(method.input, next));
    const page = jsonOf(method.output, answer);
    yield page;
    if (!isAll || page.next_page_token === '') return;
    next = { ...next, page_token: page.next_page_token ?? '' };
  }
}

/** A script that forgets --all must not lose rows silently. */
function noteRest(page: JsonObject, count: number, { stderr }: CommandHost): void {
  if (page.next_page_token === '') return;
  const total = page.total_size === undefined ? '' : ` of ${page.total_size}`;
  const token = cleanText(String(page.next_page_token));
  stderr.write(`Rows: ${count}${total}. Add --all for the rest, or --page-token ${token}\n`);
}
