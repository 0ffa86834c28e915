// `doctor --blobs`: reads the stored bytes of every document and compares their size and
// SHA-256 with the database. Changes nothing, and can run while the service runs.
import type { Config } from '../base/config/config.ts';
import type { Damage } from '../base/files/damaged-blob.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import { checkBlob } from '../sharing/documents/integrity-scan.ts';
import { findDocument, findDocumentsAfter } from '../sharing/documents/store.ts';
import type { Database } from '../storage/schema.ts';
import { openExistingDatabase } from './existing-database.ts';
import { withBlobReader } from './stores.ts';

export type BlobReport = {
  readonly checked: number;
  readonly damaged: readonly { readonly documentId: string; readonly damage: Damage }[];
};

const damageTexts: Record<Damage, string> = {
  missing: 'the content is missing',
  unreadable: 'the content cannot be read',
  size: 'the size is wrong',
  digest: 'the SHA-256 is wrong',
};

/**
 * Prints the id of each damaged document, then a summary. Throws if the blob store is unreachable.
 */
export async function checkBlobs(
  config: Config,
  print: (line: string) => void,
): Promise<BlobReport> {
  const db = await openExistingDatabase(config);
  try {
    return await withBlobReader(config, db, (blobs) => checkAll(db, blobs, print));
  } finally {
    await db.destroy();
  }
}

const batchMax = 100;

async function checkAll(
  db: Database,
  blobs: Pick<BlobStore, 'read'>,
  print: (line: string) => void,
): Promise<BlobReport> {
  const damaged: { documentId: string; damage: Damage }[] = [];
  let checked = 0;
  for (let after = ''; ; ) {
    const rows = await findDocumentsAfter(db, after, batchMax);
    for (const row of rows) {
      after = row.id;
      const result = await checkBlob(blobs, row);
      // The bytes may be missing because the document was deleted in the meantime.
      if ((await findDocument(db, row.workspace_id, row.id)) === undefined) continue;
      checked++;
      if (result === 'ok') continue;
      damaged.push({ documentId: row.id, damage: result });
      print(`${row.id}: ${damageTexts[result]}`);
    }
    if (rows.length < batchMax) break;
  }
  print(`Documents checked: ${checked}, damaged: ${damaged.length}`);
  return { checked, damaged };
}
