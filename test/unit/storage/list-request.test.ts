import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  listTokenAt,
  parseListRequest,
  type SortColumns,
} from '../../../src/storage/queries/list-request.ts';

const sorts: SortColumns = { create_time: 'number', name: 'text' };

const parse = (fields: object) =>
  parseListRequest({ pageSize: 0, pageToken: '', query: '', orderBy: '', ...fields }, sorts);

const refusal = (field: string) =>
  expect.objectContaining({
    code: 'invalid_argument',
    extra: { fields: [{ field, detail: expect.any(String) }] },
  });

describe('page tokens of lists', () => {
  it('return the position and the total for the same order and query', () => {
    const orders = fc.constantFrom('name', 'name desc', 'create_time');
    const name = fc.string({ unit: 'grapheme', maxLength: 255 });
    fc.assert(
      fc.property(orders, name, fc.string({ maxLength: 100 }), (orderBy, value, query) => {
        fc.pre(!value.includes('\0'));
        const request = parse({ orderBy, query });
        const position = { value: orderBy === 'create_time' ? value.length : value, id: 'doc_1' };
        const pageToken = listTokenAt(position, request, 7);
        const next = parse({ orderBy, query: ` ${query} `, pageToken });
        expect(next).toEqual({ ...request, after: position, total: 7 });
      }),
    );
  });

  it('are refused with other contents, whatever they contain', () => {
    const request = parse({ orderBy: 'name' });
    const [digest] = JSON.parse(
      Buffer.from(listTokenAt({ value: 'a', id: 'b' }, request, 1), 'base64url').toString(),
    ) as string[];
    const rest = fc.constantFrom<unknown[]>(
      [],
      [5, 'doc_1', 1],
      ['a\0', 'doc_1', 1],
      ['x'.repeat(1_025), 'doc_1', 1],
      ['a', "doc_1' or 1=1", 1],
      ['a', 'doc_1', -1],
      ['a', 'doc_1', '1'],
      [{}, [], null],
    );
    const crafted = rest.map((values) => JSON.stringify([digest, ...values]));
    fc.assert(
      fc.property(fc.oneof(crafted, fc.json(), fc.string()), (text) => {
        fc.pre(text !== '');
        const pageToken = Buffer.from(text).toString('base64url');
        expect(() => parse({ orderBy: 'name', pageToken })).toThrow(refusal('page_token'));
      }),
    );
  });
});
