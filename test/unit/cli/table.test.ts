import { describe, expect, test } from 'vitest';
import { formatTable } from '../../../clients/cli/src/base/table.ts';
import { cleanText, cutText, widthOf } from '../../../clients/cli/src/base/text.ts';

const columns = [
  { title: 'ID', isFixed: true },
  { title: 'NAME', isFixed: false },
  { title: 'SIZE', isFixed: false },
];
const rows = [
  ['doc_1234567890', 'A long name of a document', '1.2 MiB'],
  ['doc_0987654321', '年次報告書二〇二六年度版', '3 B'],
];
const linesOf = (width: number) =>
  formatTable(columns, rows, { width, isBold: false }).trimEnd().split('\n');

describe('a table', () => {
  test('is as wide as its content if the terminal is wide enough', () => {
    expect(linesOf(80)).toEqual([
      'ID              NAME                       SIZE',
      'doc_1234567890  A long name of a document  1.2 MiB',
      'doc_0987654321  年次報告書二〇二六年度版   3 B',
    ]);
  });

  test('shortens names, and keeps ids', () => {
    for (const width of [36, 40, 45]) {
      const lines = linesOf(width);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(lines[1]).toMatch(/^doc_1234567890 {2}A long.*… +1\.2 MiB$/);
    }
  });

  test('leaves out the last columns of a narrow terminal', () => {
    expect(linesOf(20)).toEqual(['ID', 'doc_1234567890', 'doc_0987654321']);
  });

  test('leaves out a spare id rather than shortening names below a readable width', () => {
    const withId = [
      { title: 'NAME', isFixed: false },
      { title: 'TARGET', isFixed: true, isSpare: true },
    ];
    const name = 'A name with more than 24 characters';
    const titlesOf = (width: number) =>
      formatTable(withId, [[name, 'doc_1234567890']], { width, isBold: false }).split(/\s+/, 2);
    expect(titlesOf(40)).toEqual(['NAME', 'TARGET']);
    expect(titlesOf(39)).toEqual(['NAME', 'A']);
  });
});

test('a text is cut between characters', () => {
  expect(cutText('年次報告', 6)).toBe('年次…');
  expect(cutText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…');
  expect(cutText('short', 5)).toBe('short');
});

test('a text cannot control the terminal', () => {
  expect(cleanText('a\u001b[31mred\u001b[0m')).toBe('ared');
  expect(cleanText('a\u001b]0;title\u0007b')).not.toContain('\u001b');
  expect(cleanText('tab\tline\nend')).toBe('tab line end');
  expect(cleanText('\u202eevil')).toBe(' evil');
});
