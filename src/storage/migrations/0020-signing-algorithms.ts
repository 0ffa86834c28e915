// Adds the algorithms of signing keys and audiences. Earlier releases know EdDSA only: they cannot
// load a key of another algorithm, and none exists before an audience asks for it.
import { type Kysely, sql } from 'kysely';
import { watchColumns } from './0015-audiences.ts';

export async function addSigningAlgorithms(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('signing_keys')
    .addColumn('alg', 'text', (column) => column.notNull().defaultTo('EdDSA'))
    .execute();
  await db.schema.alterTable('signing_keys').addColumn('public_jwk', 'text').execute();
  await watchColumns(db, 'signing_keys', 'algorithms', ['alg', 'public_jwk'], 'kid');
  await db.schema.dropIndex('signing_keys_one_active').execute();
  await db.schema
    .createIndex('signing_keys_one_active')
    .unique()
    .on('signing_keys')
    .column('alg')
    .where(sql.ref('state'), '=', sql.lit('active'))
    .execute();
  await db.schema
    .alterTable('audiences')
    .addColumn('signing_alg', 'text', (column) => column.notNull().defaultTo('EdDSA'))
    .execute();
  await watchColumns(db, 'audiences', 'algorithms', ['signing_alg']);
}
