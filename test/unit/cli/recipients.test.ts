import { expect, test } from 'vitest';
import { readRecipients, readRows } from '../../../clients/cli/src/base/recipients.ts';
import { importRows, readersError, readTable } from '../../../web/console/links/read-readers.ts';
import { itHoldsFor } from '../../support/rule.ts';

itHoldsFor([
  [
    'a header and quoted cells',
    '\ufeffEmail,Name\r\n"ann@x.example",Ann\r\n',
    ['ann@x.example', 2],
  ],
  [
    'a line break in a cell',
    'ann@x.example,"a ""b""\n,c"\nbo@x.example',
    ['ann@x.example', 1, 'bo@x.example', 3],
  ],
  ['blank lines, and semicolons', '\n;\nann@x.example;Ann\n', ['ann@x.example', 3]],
  ['an open quote', 'ann@x.example\t"Ann\nbo@x.example', ['ann@x.example', 1, 'bo@x.example', 2]],
  ['a missing closing quote', '"a@x.example\n"b@x.example"\n', ['a@x.example\nb@x.example"', 1]],
  ['a name before an address', '"Ann" <ann@x.example>\n', ['Ann <ann@x.example>', 1]],
  ['an empty first cell', 'Email,Name\n,bo@x.example\n', ['', 2]],
  ['an address without @ in the first line', 'ann.x.example\n', ['ann.x.example', 1]],
  ['only a header', 'Email\n', []],
  ['no text', '', []],
])('the recipients of a CSV file have their lines', (_, content, expected) => {
  const found = readRecipients(readRows(content));
  expect(found.flatMap(({ recipient, line }) => [recipient, line])).toEqual(expected);
});

itHoldsFor([
  ['Email\nann@x.example', true],
  ['ann@x.example\tAnn\nbo@x.example\tBo', true],
  ['ann@x.example, bo@x.example\ncy@x.example, @y.example', false],
  ['ann@x.example\n@y.example\n', false],
  ['ann@x.example, Ann', false],
  ['Ask ann@x.example,\nor bo@x.example', false],
])('a pasted text is a table or a list', (text, isTable) => {
  expect(readTable(text) !== undefined).toBe(isTable);
});

itHoldsFor([
  ['ann@x.example; @y.example,\nbo@y.example', true, null],
  ['ann@x.example\nBo <bo@x.example>', true, 'Line 2 has no email address or domain: “Bo”.'],
  ['<bo@x.example>', true, 'Line 1 has no email address or domain: “<bo@x.example>”.'],
  ['ann@x.example; @y.example', false, 'Line 1 has no email address: “@y.example”.'],
  ['ann@x.example\nmüller@müller.example', false, null],
])('the readers of a link are addresses, and domains only for a list', (text, mayList, error) => {
  expect(readersError(text, { permitsDomains: mayList })).toBe(error);
});

test('a table adds all its readers, or none and the wrong line', () => {
  const read = (text: string) => importRows(readRows(text), 'people.csv');
  const readers = ['ann@x.example', '@y.example'];
  expect(read('Who,Name\nann@x.example,A\n@y.example,Y\nann@x.example,A')).toEqual({ readers });
  for (const [text, reason] of [
    [
      'ann@x.example\nbo@localhost',
      'Line 2 of people.csv has no email address or domain: “bo@local',
    ],
    [',a@x.example', 'Line 1 of people.csv has no email address or domain'],
    ['Email', 'There are no addresses in people.csv.'],
    ['a@x.example\n'.repeat(1_001), 'There are more than 1,000 addresses in people.csv.'],
  ] as const) {
    expect(read(text)).toEqual({ error: expect.stringContaining(reason) });
  }
});
