// Adds the names by which clients sign in with a certificate. Expands only: earlier releases ignore
// them. See docs/decisions/0005.
import type { Kysely } from 'kysely';

export async function addCertificateNames(db: Kysely<unknown>): Promise<void> {
  for (const column of ['tls_client_auth_san_uri', 'tls_client_auth_san_dns']) {
    await db.schema.alterTable('clients').addColumn(column, 'text').execute();
    await db.schema
      .createIndex(`clients_${column}`)
      .on('clients')
      .column(column)
      .unique()
      .execute();
  }
}
