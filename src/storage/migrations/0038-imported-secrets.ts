// Adds the hashes of secrets of other authorization servers. Expands only: earlier releases reject
// such secrets, because they find a secret only by its generated form.
import type { Kysely } from 'kysely';

export async function addImportedSecrets(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('credentials').addColumn('imported_hash', 'text').execute();
}
