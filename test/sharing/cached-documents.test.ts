// The cached rows of downloads and links: fast, and never used after a change.
import { expect, it, onTestFinished } from 'vitest';
import { createDocuments } from '../../src/sharing/documents/documents.ts';
import { removeDocument, updateDocument } from '../../src/sharing/documents/store.ts';
import { createLinks } from '../../src/sharing/links/links.ts';
import { revokeLink, updateLink } from '../../src/sharing/links/store.ts';
import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { transact } from '../../src/storage/database.ts';
import type { Executor } from '../../src/storage/schema/schema.ts';
import { fillCachedTables } from '../support/cached-rows.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeFeature } from '../support/matrix.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const document = { workspaceId: 'ws_1', id: 'doc_1' };
const link = { workspaceId: 'ws_1', id: 'lnk_1' };

describeFeature('the cached row', (dialect) => {
  async function open() {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    await transact(db, fillCachedTables);
    let monotonic = 1_000_000;
    const invalidations = await watchInvalidations(db, { monotonicNow: () => monotonic });
    onTestFinished(() => invalidations.stop());
    let queries = 0;
    const counted = (await openUntilFinished(url)).withPlugin({
      transformQuery({ node }) {
        queries++;
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const blobs = { read: () => expect.unreachable('no bytes are read') };
    const options = { db: counted, invalidations };
    const documents = createDocuments({ ...options, blobs, observe: () => {} });
    const links = createLinks(options);
    return {
      db,
      queries: () => queries,
      nameOf: () =>
        documents.requireCached('ws_1', 'doc_1').then(
          ({ name }) => name,
          ({ code }) => code,
        ),
      readElsewhere: () =>
        documents.requireCached('ws_2', 'doc_1').then(
          ({ id }) => id,
          ({ code }) => code,
        ),
      linkOf: async () => {
        const shared = await links.findShared('slug_1').catch(({ code }) => code);
        if (shared === undefined || typeof shared === 'string') return shared;
        const { name } = shared.document;
        return { name, revoked: shared.link.revoke_time, revision: shared.link.gate_revision };
      },
      change: (work: (trx: Executor) => Promise<unknown>) =>
        transact(db, async (trx) => void (await work(trx))),
      async loseDatabase(ms: number) {
        await db.destroy();
        monotonic += ms;
      },
    };
  }
  const shown = { name: '', revoked: null, revision: 1 };

  it('of a document or link costs no query after the first', async () => {
    const { nameOf, linkOf, queries } = await open();
    expect([await nameOf(), await linkOf()]).toEqual(['', shown]);
    const before = queries();

    for (let i = 0; i < 5; i++) expect([await nameOf(), await linkOf()]).toEqual(['', shown]);

    expect(queries()).toBe(before);
  });

  it('of a document is not found from another workspace', async () => {
    const { nameOf, readElsewhere } = await open();
    expect(await nameOf()).toBe('');
    expect(await readElsewhere()).toBe('not_found');
    expect(await nameOf()).toBe('');
  });

  it('is replaced at once when this process changes it', async () => {
    const { nameOf, linkOf, change } = await open();
    expect([await nameOf(), await linkOf()]).toEqual(['', shown]);

    await change((trx) => updateDocument(trx, document, { name: 'new' }));
    expect([await nameOf(), await linkOf()]).toEqual(['new', { ...shown, name: 'new' }]);

    await change((trx) => updateLink(trx, link, {}, true));
    expect(await linkOf()).toMatchObject({ revision: 2 });

    await change((trx) => revokeLink(trx, 'lnk_1', 7));
    expect(await linkOf()).toMatchObject({ revoked: 7 });

    await change((trx) => removeDocument(trx, 'doc_1', { time: 2, rowsMax: 0 }));
    expect([await nameOf(), await linkOf()]).toEqual(['not_found', undefined]);
  });

  it('is replaced within a second when another process changes it', async () => {
    const { db, nameOf, linkOf } = await open();
    expect([await nameOf(), await linkOf()]).toEqual(['', shown]);

    await changeAsOtherProcess(db, (trx) => revokeLink(trx, 'lnk_1', 7));
    await expectWithinOneSecond(db, async () => (await linkOf())?.revoked, 7);

    await changeAsOtherProcess(db, (trx) =>
      removeDocument(trx, 'doc_1', { time: 2, rowsMax: 200 }),
    );
    await expectWithinOneSecond(db, nameOf, 'not_found');
    await expectWithinOneSecond(db, linkOf, undefined);
  });

  it('is trusted for 5 seconds while the database is away, and then no longer', async () => {
    const { nameOf, linkOf, loseDatabase } = await open();
    expect([await nameOf(), await linkOf()]).toEqual(['', shown]);

    await loseDatabase(4_000);
    expect([await nameOf(), await linkOf()]).toEqual(['', shown]);

    await loseDatabase(2_000);
    expect([await nameOf(), await linkOf()]).toEqual(['unavailable', 'unavailable']);
  });
});
