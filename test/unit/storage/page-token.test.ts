import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PageQuery,
  pageOf,
  parsePageRequest,
} from '../../../src/storage/queries/page-token.ts';
import { itHoldsFor } from '../../support/rule.ts';

type Row = { create_time: number; id: string };

const rows = fc.uniqueArray(
  fc.record({
    create_time: fc.integer({ min: 0, max: 20 }),
    id: fc.stringMatching(/^[a-z]{3}_[0-9A-Za-z]{22}$/),
  }),
  { selector: ({ id }) => id, maxLength: 60 },
);

/** Reads a page as every store does: newest first, from a position, one row more than requested. */
function read(all: readonly Row[], { after, limit }: PageQuery): Row[] {
  const newest = all.toSorted(
    (a, b) => b.create_time - a.create_time || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0),
  );
  const rest = newest.filter(
    ({ create_time, id }) =>
      after === undefined ||
      create_time < after.time ||
      (create_time === after.time && id < after.id),
  );
  return rest.slice(0, limit + 1);
}

describe('pages', () => {
  it('contain every row once, newest first, for every page size', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 25 }), (all, pageSize) => {
        const seen: Row[] = [];
        let pageToken = '';
        do {
          const query = parsePageRequest({ pageSize, pageToken });
          const page = pageOf(read(all, query), query);
          expect(page.rows.length).toBeLessThanOrEqual(pageSize);
          seen.push(...page.rows);
          pageToken = page.nextPageToken;
        } while (pageToken !== '');
        expect(seen).toEqual(read(all, { limit: all.length, after: undefined }));
      }),
    );
  });

  it('contain no row twice when rows are added', () => {
    const old = [4, 3, 2, 1].map((time) => ({ create_time: time, id: `doc_${time}` }));
    const first = parsePageRequest({ pageSize: 2, pageToken: '' });
    const { rows: page, nextPageToken } = pageOf(read(old, first), first);
    const grown = [{ create_time: 5, id: 'doc_5' }, ...old];
    const second = parsePageRequest({ pageSize: 2, pageToken: nextPageToken });

    expect(page.map(({ id }) => id)).toEqual(['doc_4', 'doc_3']);
    expect(pageOf(read(grown, second), second)).toEqual({
      rows: [old[2], old[3]],
      nextPageToken: '',
    });
  });

  itHoldsFor([
    [0, 50],
    [1, 1],
    [200, 200],
    [201, 200],
    [2_147_483_647, 200],
  ])('contain as many rows as asked for, within the bounds', (pageSize, limit) => {
    expect(parsePageRequest({ pageSize, pageToken: '' })).toEqual({ limit, after: undefined });
  });

  itHoldsFor([
    '1',
    'hunter2',
    token('2.1.doc_1'),
    token('1.1'),
    token('1..doc_1'),
    token('1.-1.doc_1'),
    token('1.1e3.doc_1'),
    token('1.1.'),
    token("1.1.' or 1=1"),
    token('1.1.doc_1\n'),
    token(`1.1.${'a'.repeat(65)}`),
    token(`1.${'9'.repeat(16)}.doc_1`),
  ])('are refused for a malformed token', (pageToken) => {
    expect(() => parsePageRequest({ pageSize: 1, pageToken })).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        extra: { fields: [{ field: 'page_token', detail: expect.any(String) }] },
      }),
    );
  });
});

function token(text: string): string {
  return Buffer.from(text).toString('base64url');
}
