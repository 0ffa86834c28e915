// Prints the rows of a list.
import { type DescMethodUnary, fromJson, type JsonObject } from '@bufbuild/protobuf';
import type { CommandHost, Input } from '../base/command.ts';
import { type Data, wantsJson, write, writeRows } from '../base/print.ts';
import { cleanText, jsonText } from '../base/text.ts';
import type { CallSpec } from './call-spec.ts';
import { fieldOf } from './columns.ts';
import { readPages } from './pages.ts';
import type { Remote } from './remote.ts';
import { itemsField, jsonOf, shownData } from './response.ts';

export type List = {
  readonly spec: CallSpec;
  readonly input: Input;
  readonly host: CommandHost;
  readonly remote: Remote;
  readonly method: DescMethodUnary;
  readonly request: JsonObject;
};

const pageSizeMax = 200;

export async function printList(list: List): Promise<number> {
  const { input, host } = list;
  const { fields, rowsOf, shownRow } = rowsIn(list);
  const isTable = host.stdout.isTTY === true && !wantsJson(input);
  const table: Data[] = [];
  let count = 0;
  let last: JsonObject = {};
  for await (const page of pagesOf(list)) {
    const found = rowsOf(page);
    const rows = found.map(shownRow);
    if (isTable) table.push(...rows);
    else if (wantsJson(input)) await write(host, found.map(lineOf).join(''));
    else await writeRows(host, fields, rows);
    count += found.length;
    last = page;
  }
  if (isTable) await writeRows(host, fields, table);
  if (isTable && count === 0) host.stderr.write('Rows: 0.\n');
  if (input.options.all !== true) noteRest(last, count, host);
  return 0;
}

/** How the rows of the list are found and shown. */
export function rowsIn({ spec, method }: List) {
  const items = itemsField(method.output);
  if (items === undefined || !('message' in items) || items.message === undefined) {
    throw new Error(`${method.name} returns no list`);
  }
  const { name, message } = items;
  return {
    fields: (spec.columns ?? []).map(fieldOf),
    rowsOf: (page: JsonObject) => page[name] as JsonObject[],
    shownRow: (row: JsonObject): Data => shownData(message, row),
  };
}

export const lineOf = (row: JsonObject) => `${jsonText(row)}\n`;

export async function* pagesOf({
  input,
  remote,
  method,
  request,
}: List): AsyncIterable<JsonObject> {
  const isAll = input.options.all === true;
  const size = isAll && input.options['page-size'] === undefined ? { page_size: pageSizeMax } : {};
  const read = async (token: string) => {
    const page = { ...request, ...size, ...(token === '' ? {} : { page_token: token }) };
    return jsonOf(method.output, await remote.call(method, fromJson(method.input, page)));
  };
  const nextOf = (page: JsonObject) => (isAll ? String(page.next_page_token ?? '') : '');
  yield* readPages(remote, read, nextOf, String(request.page_token ?? ''));
}

/** A script that forgets --all must not lose rows silently. */
function noteRest(page: JsonObject, count: number, { stderr }: CommandHost): void {
  if (!page.next_page_token) return;
  const total = page.total_size === undefined ? '' : ` of ${page.total_size}`;
  const token = cleanText(String(page.next_page_token));
  stderr.write(`Rows: ${count}${total}. Add --all for the rest, or --page-token ${token}\n`);
}
