// The text search of a list: the letters it finds, its cost and its end.
import { expect, it, onTestFinished } from 'vitest';
import { documentList, findDocuments } from '../../src/sharing/documents/store.ts';
import { scan } from '../../src/storage/queries/list.ts';
import { parseListRequest } from '../../src/storage/queries/list-request.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { type Dialect, describeDialects } from '../support/matrix.ts';
import { queriesOf } from '../support/query-plans.ts';

const names = ['ÄRGER über Öl.pdf', 'Cafe\u0301.pdf', 'ΟΔΟΣ ΣΟΦΙΑΣ', 'Straße', 'ПРИВЕТ', 'plain'];

async function openWithNames(dialect: Dialect): Promise<Database> {
  const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
  await db.insertInto('workspaces').values({ id: 'ws_1', name: 'w', create_time: 1 }).execute();
  const rows = names.map((name, i) => ({
    ...{ id: `doc_${i}`, workspace_id: 'ws_1', name, content_type: 'a/b', sha256: '' },
    ...{ size_bytes: 1, page_count: 1, blob_id: `doc_${i}`, create_time: 100 - i },
  }));
  await db.insertInto('documents').values(rows).execute();
  return db;
}

function limitScan(limits: Partial<typeof scan>): void {
  const before = { ...scan };
  Object.assign(scan, limits);
  onTestFinished(() => void Object.assign(scan, before));
}

const read = (db: Database, query: string, pageToken = '', signal?: AbortSignal) => {
  const request = { pageSize: 50, pageToken, query, orderBy: '' };
  return findDocuments(
    db,
    { workspaceId: 'ws_1' },
    parseListRequest(request, documentList.sorts, signal),
  );
};

/** Small letters with one form, composed and decomposed. */
const letters = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x430 + i)).filter(
  (letter) => letter.toUpperCase() !== letter && letter.normalize('NFD') === letter,
);

describeDialects('a search', (dialect) => {
  it('finds the letters of other scripts in any case, composed or decomposed', async () => {
    const db = await openWithNames(dialect);
    const found = async (query: string) => (await read(db, query)).rows.map(({ name }) => name);
    for (const [query, name] of [
      ['ärger ÜBER ö', names[0]],
      ['a\u0308rger', names[0]],
      ['CAFÉ', names[1]],
      ['οδος σοφιας', names[2]],
      ['οδοσ', names[2]],
      ['STRAß', names[3]],
      ['привет', names[4]],
      ['PLAIN', names[5]],
    ] as const) {
      expect(await found(query), query).toEqual([name]);
    }
    expect(await found('STRASSE')).toEqual([]);
    expect(await found(letters.join(''))).toEqual([]);
  });

  it('sends the same query for one letter and for many', async () => {
    const sent = async (query: string) => {
      const queries = await queriesOf(dialect, (db) => read(db, query), [
        { value: 1, id: 'doc_1', count: 1 },
      ]);
      return new Set(queries.map(({ sql }) => sql));
    };
    expect(letters.length).toBeGreaterThan(40);
    expect(await sent(letters.join(''))).toEqual(await sent('ж'));
  });

  it('ends when the call is aborted', async () => {
    const db = await openWithNames(dialect);
    limitScan({ rowsMax: 1 });
    const controller = new AbortController();
    controller.abort(new Error('the client has left'));
    await expect(read(db, 'plain', '', controller.signal)).rejects.toThrow('the client has left');
  });

  it('continues on the next page when its time is over', async () => {
    const db = await openWithNames(dialect);
    limitScan({ rowsMax: 1, msMax: 0 });
    const found: string[] = [];
    let pages = 0;
    let token = '';
    do {
      const page = await read(db, 'p', token);
      found.push(...page.rows.map(({ name }) => name));
      token = page.nextPageToken;
      pages++;
    } while (token !== '');
    expect(found).toEqual([names[0], names[1], names[5]]);
    expect(pages).toBe(names.length + 1);
  });
});
