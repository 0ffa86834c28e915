// `doctor --blobs`: reads the stored bytes of every version of the documents and compares their
// size and SHA-256 with the database. Changes nothing, and can run while the service runs.

import { nameBlob } from '../backup/format.ts';
import type { Config } from '../base/config/config.ts';
import type { Damage } from '../base/files/damaged-blob.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import { checkBlob } from '../sharing/documents/integrity-scan.ts';
import {
  findVersion,
  findVersionsAfter,
  type VersionPosition,
} from '../sharing/queries/document-versions.ts';
import { useDatabase } from '../storage/database.ts';
import type { Database } from '../storage/schema/schema.ts';
import { openExistingDatabase } from './existing-database.ts';
import { withBlobReader } from './stores.ts';

export type BlobReport = {
  readonly checked: number;
  readonly damaged: readonly DamagedVersion[];
};

type DamagedVersion = {
  readonly documentId: string;
  readonly version: number;
  readonly damage: Damage;
};

const damageTexts: Record<Damage, string> = {
  missing: 'the content is missing',
  unreadable: 'the content cannot be read',
  size: 'the size is wrong',
  digest: 'the SHA-256 is wrong',
};

/**
 * Prints the id of each document with damaged content, then a summary. Throws if the blob store is
 * unreachable.
 */
export async function checkBlobs(
  config: Config,
  print: (line: string) => void,
): Promise<BlobReport> {
  return useDatabase(await openExistingDatabase(config), (db) =>
    withBlobReader(config, db, (blobs) => checkAll(db, blobs, print)),
  );
}

const batchMax = 100;

async function checkAll(
  db: Database,
  blobs: Pick<BlobStore, 'read'>,
  print: (line: string) => void,
): Promise<BlobReport> {
  const damaged: DamagedVersion[] = [];
  let checked = 0;
  for (let after: VersionPosition = { document_id: '', version: 0 }; ; ) {
    const rows = await findVersionsAfter(db, after, batchMax);
    for (const row of rows) {
      after = row;
      const result = await checkBlob(blobs, row);
      const { document_id: documentId, version } = row;
      // The bytes may be missing because the version was deleted in the meantime.
      if ((await findVersion(db, documentId, version)) === undefined) continue;
      checked++;
      if (result === 'ok') continue;
      damaged.push({ documentId, version, damage: result });
      print(`${nameBlob(row)}: ${damageTexts[result]}`);
    }
    if (rows.length < batchMax) break;
  }
  print(`Documents checked: ${checked}, damaged: ${damaged.length}`);
  return { checked, damaged };
}
