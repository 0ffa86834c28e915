// A process of release 0.1 on the schema with versions: it knows only the row of a document.
import { expect, it } from 'vitest';
import { insertVersion, isBlobReferenced } from '../../src/sharing/queries/document-versions.ts';
import { transact } from '../../src/storage/database.ts';
import { cachedRowIds, document, fillCachedTables } from '../support/cached-rows.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

describeDialects('release 0.1', (dialect) => {
  it('inserts the first version, views of the current one, and deletes all', async () => {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const usage = { workspace_id: 'ws_1', bytes: 500, documents: 1, links: 1, views: 0 };
    const { content_type, sha256, page_count, create_time } = document;
    const content = { content_type, sha256, page_count, create_time, size_bytes: 200 };
    const second = { ...content, document_id: document.id, version: 2, blob_id: 'second' };
    const view = {
      link_id: cachedRowIds.links ?? '',
      email: '',
      email_verified: 0,
      create_time: 5,
    } as const;
    await transact(db, async (trx) => {
      await fillCachedTables(trx);
      await trx.insertInto('workspace_usage').values(usage).execute();
      await insertVersion(trx, second, {});
      await trx
        .insertInto('views')
        .values({ ...view, id: 'viw_1', duration_ms: 0, document_id: null })
        .execute();
    });

    const versions = db.selectFrom('document_versions').select(['version', 'blob_id']);
    expect(await versions.orderBy('version').execute()).toEqual([
      { version: 1, blob_id: document.blob_id },
      { version: 2, blob_id: 'second' },
    ]);
    const views = await db.selectFrom('views').select(['version', 'document_id']).execute();
    expect(views).toEqual([{ version: 2, document_id: document.id }]);

    await transact(db, async (trx) => {
      await trx.deleteFrom('documents').where('id', '=', document.id).execute();
    });

    expect(await db.selectFrom('pending_blobs').select('blob_id').execute()).toEqual([
      { blob_id: document.blob_id },
    ]);
    expect(await isBlobReferenced(db, document.blob_id)).toBe(false);
    const [left] = await db.selectFrom('workspace_usage').select('bytes').execute();
    expect(left).toEqual({ bytes: usage.bytes - document.size_bytes });
  });
});
