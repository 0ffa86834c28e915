// Writes custom domains into the database, as another process would.
import { randomBytes } from 'node:crypto';
import { newId, randomText } from '../../src/base/crypto/ids.ts';
import { insertDomain } from '../../src/sharing/domains/store.ts';
import type { DomainRow } from '../../src/storage/schema/domain-rows.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { changeAsOtherProcess } from './owner-rows.ts';

export async function addDomainRow(
  db: Database,
  workspaceId: string,
  fields: Partial<DomainRow> = {},
): Promise<DomainRow> {
  const row: DomainRow = {
    ...{ id: newId('dom', randomBytes), workspace_id: workspaceId },
    name: `${randomBytes(8).toString('hex')}.example.com`,
    ...{ txt_value: randomText(randomBytes), is_primary: 0 },
    ...{ create_time: Date.now(), verify_time: null, creator_id: null },
    ...fields,
  };
  await changeAsOtherProcess(db, (trx) => insertDomain(trx, row));
  return row;
}
