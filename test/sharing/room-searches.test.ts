// Concurrent searches do not hold up other calls. Anonymous readers can search rooms.
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { addDocument, makeFolder, makeRoom } from '../support/folder-calls.ts';
import { entered } from '../support/rooms.ts';
import { callSharingApi } from '../support/sharing-api.ts';

/** Twenty slices of 500. */
const documentCount = 9_900;
const slices = 20;
/** Of the 20 searches that a process runs at once, one network has at most half. */
const searchesOfNetwork = 10;

describeAppOnSqlite('searches at the same time', (suite) => {
  async function fillRoom() {
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

  /** Returns the statuses, and the turns of the event loop until all searches have ended. */
  async function runTogether(count: number, search: () => Promise<number>) {
    let isRunning = true;
    const all = Promise.all(Array.from({ length: count }, search)).finally(() => {
      isRunning = false;
    });
    let turns = 0;
    for (; isRunning; turns++) await setImmediate();
    return { statuses: await all, turns };
  }

  it('examine one slice of names in a turn of the event loop, whatever their number', async () => {
    const visitor = await fillRoom();
    const ofRoom = await runTogether(3 * searchesOfNetwork, async () => {
      const { status, headers, text } = await visitor.get('?query=nothing');
      if (status === 200) expect(text).toContain('No name contains');
      else expect(headers.get('retry-after')).toBe('1');
      return status;
    });
    const found = ofRoom.statuses.filter((status) => status === 200);
    expect(found.length).toBeGreaterThanOrEqual(searchesOfNetwork);
    expect(new Set(ofRoom.statuses)).toEqual(new Set([200, 429]));
    expect(ofRoom.turns).toBeGreaterThanOrEqual(found.length * slices);

    const ofList = await runTogether(searchesOfNetwork, async () => {
      const answer = await callSharingApi(suite.testApp, 'GET', '/documents?query=nothing');
      return answer.status;
    });
    expect(new Set(ofList.statuses)).toEqual(new Set([200]));
    expect(ofList.turns).toBeGreaterThanOrEqual(searchesOfNetwork * (slices - 1));
  });
});
