// The rows of secrets that come from another authorization server.
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { type StoredCredential, selectCredentials, storedCredential } from '../store.ts';

/** A secret from another authorization server. Its hash is empty once a digest replaced it. */
export type ImportedSecret = StoredCredential & { readonly importedHash: string };

/** Returns those that are not revoked. */
export async function findImportedSecrets(
  db: Database,
  clientId: string,
): Promise<ImportedSecret[]> {
  const rows = await selectCredentials(db)
    .where('k.client_id', '=', clientId)
    .where('k.revoke_time', 'is', null)
    .where('k.imported_hash', 'is not', null)
    .execute();
  return rows.map((row) => ({ ...storedCredential(row), importedHash: row.imported_hash ?? '' }));
}

/** Replaces the hash of an imported secret, unless the secret was revoked or its hash replaced. */
export async function storeImportedDigest(
  trx: Executor,
  { id, importedHash }: ImportedSecret,
  digest: string,
): Promise<void> {
  await trx
    .updateTable('credentials')
    .set({ digest, imported_hash: '' })
    .where('id', '=', id)
    .where('imported_hash', '=', importedHash)
    .where('revoke_time', 'is', null)
    .execute();
}
