// Adds the time of the last use of client keys and federated identities. Expands only: earlier
// releases do not set it.
import type { Kysely } from 'kysely';

export async function addLastUses(db: Kysely<unknown>): Promise<void> {
  for (const table of ['client_keys', 'federated_identities']) {
    await db.schema.alterTable(table).addColumn('last_used_time', 'bigint').execute();
  }
}
