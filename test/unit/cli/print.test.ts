import { expect, test } from 'vitest';
import type { CommandHost } from '../../../clients/cli/src/base/command.ts';
import {
  type Data,
  type Field,
  writeObject,
  writeRows,
} from '../../../clients/cli/src/base/print.ts';
import { fieldAt, fieldOf } from '../../../clients/cli/src/remote/columns.ts';
import { pseudonymOf } from '../../../src/storage/queries/erased-addresses.ts';
import { itHoldsFor } from '../../support/rule.ts';

const idAndName: readonly Field[] = [
  { path: 'id', title: 'ID' },
  { path: 'name', title: 'Name' },
];
const longName = [{ id: 'doc_1', name: 'a'.repeat(90) }];

/** A terminal and its output. */
function terminal(columns?: number) {
  let text = '';
  const stdout = {
    isTTY: true,
    ...(columns === undefined ? {} : { columns }),
    write(data: string | Uint8Array, done?: () => void) {
      text += String(data);
      done?.();
    },
  };
  return { host: { env: { NO_COLOR: '1' }, stdout } as unknown as CommandHost, text: () => text };
}

async function tableOn(
  columns: number | undefined,
  fields = idAndName,
  rows: readonly Data[] = longName,
): Promise<string> {
  const { host, text } = terminal(columns);
  await writeRows(host, fields, rows);
  return text();
}

test('a terminal shows the figures of an object in words, without rows of zeros', async () => {
  const { host, text } = terminal(80);
  const figures = {
    view_count: 2,
    completion: 0.0312,
    average_duration_ms: 16_250,
    pages: [
      { page: 1, view_count: 2, average_duration_ms: 16_250 },
      { page: 2, view_count: 0, average_duration_ms: 0 },
    ],
    days: [{ start_time: '2026-11-22T00:00:00Z', view_count: 0 }],
  };
  await writeObject(host, figures, fieldAt);
  expect(text()).toBe(
    'view count        2\n' +
      'completion        3 %\n' +
      'average duration  16 s\n' +
      '\npages\n' +
      'PAGE  VIEWS  AVERAGE TIME\n' +
      '1     2      16 s\n',
  );
});

test('a terminal shows days without a time, and how a person signed in with words', async () => {
  const started = '2026-11-22T06:01:00.000Z';
  const { host, text } = terminal(80);
  await writeObject(
    host,
    {
      days: [{ start_time: '2026-11-22T00:00:00Z', view_count: 2 }],
      nodes: [{ name: 'vm', start_time: started }],
    },
    fieldAt,
  );
  expect(text()).toBe(
    '\ndays\nDAY         VIEWS\n2026-11-22  2\n' +
      '\nnodes\nNAME  STARTED\nvm    2026-11-22 06:01Z\n',
  );
  const session = { amr: ['pwd', 'otp', 'mfa'], time: '2026-11-22T00:00:00Z' };
  const shown = await tableOn(80, [fieldOf('amr'), fieldOf('time')], [session]);
  expect(shown).toBe('METHOD             DAY\npassword and code  2026-11-22\n');
});

itHoldsFor([0, undefined])('a terminal of unknown width has 80 columns', async (columns) => {
  expect(await tableOn(columns)).toBe(`ID     NAME\ndoc_1  ${'a'.repeat(72)}…\n`);
});

test('a table is as wide as the terminal', async () => {
  expect(await tableOn(20)).toBe(`ID     NAME\ndoc_1  ${'a'.repeat(12)}…\n`);
});

const view = {
  create_time: '2026-11-23T07:08:37.440Z',
  email: 'a.long.address.of.a.reader@documents.example.com',
  duration_ms: 125_000,
  download_count: 3,
  size_bytes: 6_800,
};
const viewFields = [
  fieldOf('email'),
  fieldOf({ path: 'create_time', title: 'Opened' }),
  fieldOf('duration_ms'),
  fieldOf('size_bytes'),
  fieldOf('download_count'),
];

test('a table has titles in words, and durations and sizes as in the console', async () => {
  expect(await tableOn(90, viewFields, [{ ...view, email: 'ada@example.com' }])).toBe(
    'EMAIL ADDRESS    OPENED             TIME SPENT  SIZE    DOWNLOADS\n' +
      'ada@example.com  2026-11-23 07:08Z  2 min 5 s   6.8 kB  3\n',
  );
});

itHoldsFor([20, 40, 60, 80], 4)(
  'a narrow terminal cuts no title, time or number',
  async (width) => {
    const [titles = '', values = ''] = (await tableOn(width, viewFields, [view])).split('\n');
    const shown = titles.split(/ {2,}/);
    const all = ['EMAIL ADDRESS', 'OPENED', 'TIME SPENT', 'SIZE', 'DOWNLOADS'];
    expect(shown).toEqual(all.slice(0, shown.length));
    const facts = ['2026-11-23 07:08Z', '2 min 5 s', '6.8 kB', '3'];
    expect(values.split(/ {2,}/).slice(1)).toEqual(facts.slice(0, shown.length - 1));
    for (const line of [titles, values]) expect(line.length).toBeLessThanOrEqual(width);
  },
);

test('a terminal shows words instead of the address of an erased reader', async () => {
  const rows = [
    { id: 'evt_1', name: pseudonymOf('vis_1') },
    { id: 'evt_2', name: `For ${pseudonymOf('usr_2')}, and others` },
  ];
  expect(await tableOn(80, idAndName, rows)).toBe(
    'ID     NAME\nevt_1  Erased reader\nevt_2  For erased reader, and others\n',
  );
});
