// Searching, sorting and counting documents. The rules are those of every list.
import { beforeAll, describe, expect, it } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { scan } from '../../src/storage/queries/list.ts';
import { describeApp } from '../support/app-suite.ts';
import { walkList } from '../support/list-walks.ts';
import { describeTransports } from '../support/matrix.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { bearer } from '../support/sharing-api.ts';

const { listDocuments } = DocumentService.method;

/** Some rows have equal values in each column. */
const documents = [
  { name: 'Angebot ÄRZTE.pdf', size_bytes: 30, view_count: 2 },
  { name: 'angebot 100%.pdf', size_bytes: 10, view_count: 0 },
  { name: 'Zeta', size_bytes: 10, view_count: 9 },
  { name: 'Budget_2026', size_bytes: 20, view_count: 0 },
  { name: 'ZETA', size_bytes: 10, view_count: 2 },
  { name: 'zeta', size_bytes: 30, view_count: 0 },
  { name: 'a\u0308rzte (decomposed)', size_bytes: 5, view_count: 1 },
].map((row, index) => ({
  ...row,
  id: `doc_list_${index}`,
  // Two documents have the same time.
  create_time: 1_000 + Math.floor(index / 2),
}));

type Row = (typeof documents)[number];

const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const compare = (a: string | number, b: string | number) =>
  a === b ? 0 : Buffer.from(`${a}`).compare(Buffer.from(`${b}`));

const orders: Record<string, (a: Row, b: Row) => number> = {
  create_time: (a, b) => a.create_time - b.create_time,
  name: (a, b) => compare(lower(a.name), lower(b.name)),
  size_bytes: (a, b) => a.size_bytes - b.size_bytes,
  view_count: (a, b) => a.view_count - b.view_count,
};

/** The ids in the order of the fields, and of the ids where the values are equal. */
function idsBy(orderBy: string, rows: readonly Row[] = documents): string[] {
  const [field = '', direction] = orderBy.split(' ');
  const sorted = [...rows].sort((a, b) => orders[field]?.(a, b) || compare(a.id, b.id));
  return (direction === 'desc' ? sorted.reverse() : sorted).map(({ id }) => id);
}

describeApp('the list of documents', (suite) => {
  let key: { authorization: string };
  beforeAll(async () => {
    const { db } = suite.app.inside;
    const { ownerId, text } = await addWorkspace(db, 'documents:read');
    key = bearer(text);
    const facts = { content_type: 'a/b', sha256: '0', page_count: 1, workspace_id: ownerId };
    const values = documents.map((row) => ({ ...facts, ...row, blob_id: row.id }));
    await db.insertInto('documents').values(values).execute();
  });

  describeTransports(suite, (name, isOwn) => {
    async function idsOf(request: { orderBy?: string; query?: string; pageSize?: number }) {
      const { pages, totals } = await walkList(suite.transport(name), listDocuments, request, key);
      return {
        ids: pages.flatMap((page) => page.documents.map(({ id }) => id)),
        totals: [...new Set(totals)],
        pages: pages.length,
      };
    }
    const fieldsOf = async (request: Parameters<typeof idsOf>[0]) => {
      const answer = await suite.transport(name).call(listDocuments, request, key);
      return answer.ok ? [] : [answer.error.code, ...answer.error.fields];
    };

    itHoldsFor(
      Object.keys(orders).flatMap((field) => [field, `${field} desc`]),
      8,
    )('is sorted by each field, without losing or repeating equal values', async (orderBy) => {
      const found = await idsOf({ orderBy, pageSize: 2 });
      expect(found).toEqual({ ids: idsBy(orderBy), totals: [7], pages: 4 });
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    it('is sorted by time, newest first, unless the request has an order', async () => {
      expect((await idsOf({})).ids).toEqual(idsBy('create_time desc'));
      expect((await idsOf({ orderBy: '  name   desc ' })).ids).toEqual(idsBy('name desc'));
    });

    itHoldsFor([
      ['zeta', ['Zeta', 'ZETA', 'zeta']],
      ['ZET', ['Zeta', 'ZETA', 'zeta']],
      ['ärzte', ['Angebot ÄRZTE.pdf', 'a\u0308rzte (decomposed)']],
      ['A\u0308RZTE', ['Angebot ÄRZTE.pdf', 'a\u0308rzte (decomposed)']],
      ['100%', ['angebot 100%.pdf']],
      ['et_2', ['Budget_2026']],
      ['LIST_3', ['Budget_2026']],
      ["' or 1=1", []],
      [' ', documents.map((row) => row.name)],
    ])('contains only the documents that match', async (query, names) => {
      const found = await idsOf({ query, orderBy: 'name', pageSize: 2 });
      const rows = documents.filter((row) => names.includes(row.name));
      expect(found.ids).toEqual(idsBy('name', rows));
      expect(found.totals).toEqual([rows.length]);
    });

    it('refuses an unknown field, and names it', async () => {
      for (const orderBy of ['blob_id', 'name, id', 'name up', 'name desc desc', 'constructor']) {
        expect(await fieldsOf({ orderBy }), orderBy).toEqual(['invalid_argument', 'order_by']);
      }
      const answer = await suite.transport(name).call(listDocuments, { orderBy: 'sha256' }, key);
      expect(answer.ok ? '' : answer.error.message).toContain('"sha256"');
      expect(await fieldsOf({ query: 'x'.repeat(101) })).toEqual(['invalid_argument', 'query']);
    });
  });

  describe('with more documents than one query examines', () => {
    it('is searched in slices', async () => {
      const { rowsMax, slicesMax } = scan;
      Object.assign(scan, { rowsMax: 2, slicesMax: 3 });
      try {
        const request = { query: 'zeta', orderBy: 'create_time', pageSize: 2 };
        const { pages, totals } = await walkList(
          suite.transport('grpc'),
          listDocuments,
          request,
          key,
        );
        const ids = pages.map((page) => page.documents.map(({ id }) => id));
        // The first page ends where the search has examined six documents.
        expect(ids.flat()).toEqual(['doc_list_2', 'doc_list_4', 'doc_list_5']);
        expect(totals).toEqual(totals.map(() => 3));
        const none = { ...request, query: 'decomposed' };
        const late = await walkList(suite.transport('grpc'), listDocuments, none, key);
        expect(late.pages.map((page) => page.documents.length)).toEqual([0, 1]);
      } finally {
        Object.assign(scan, { rowsMax, slicesMax });
      }
    });
  });
});
