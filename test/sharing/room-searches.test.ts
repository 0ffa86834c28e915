// Searches of rooms by readers, who may be anonymous, do not hold up other calls.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { addDocument, makeFolder, makeRoom } from '../support/folder-calls.ts';
import { entered } from '../support/rooms.ts';

const documentCount = 10_000;
const searchCount = 60;
/** Of the 20 searches that a process runs at once, one network has at most half. */
const searchesOfNetwork = 10;

describeAppOnSqlite('searches of a room at the same time', (suite) => {
  async function filledRoom() {
    const { testApp: test } = suite;
    const root = await makeFolder(test, 'Searched');
    const { id } = await addDocument(test, root.id, 'Seed.txt');
    const { db } = suite.app.inside;
    const document = await db
      .selectFrom('documents')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: documentCount }, (_, n) => ({
      ...document,
      ...{ id: `doc_searched${n}`, name: `Document ${n}`, blob_id: `searched ${n}` },
    }));
    for (let at = 0; at < rows.length; at += 500) {
      await db
        .insertInto('documents')
        .values(rows.slice(at, at + 500))
        .execute();
    }
    return entered(await makeRoom(test, root.id));
  }

  it('leave turns to other calls, and are bounded for each network', async () => {
    const visitor = await filledRoom();
    const search = async () => {
      const { status, headers, text } = await visitor.get('?query=nothing');
      if (status === 200) expect(text).toContain('No name contains');
      else expect(headers.get('retry-after')).toBe('1');
      return status;
    };
    expect(await search()).toBe(200);
    const start = performance.now();
    const all = Promise.all(Array.from({ length: searchCount }, search));
    await sleep(50);
    const askedAt = performance.now();
    await (await fetch(`${suite.app.publicUrl}/.well-known/jwks.json`)).text();
    const waitedMs = performance.now() - askedAt;
    const statuses = await all;
    // If each search has a slice in each turn, the call waits for nearly all of them.
    expect(waitedMs).toBeLessThan(0.6 * (performance.now() - start));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    const found = statuses.filter((status) => status === 200);
    expect(found.length).toBeGreaterThanOrEqual(searchesOfNetwork);
    expect(await search()).toBe(200);
  });
});
