// The external ids of resources: one resource of a kind at most has an external id.
import type { SelectQueryBuilder } from 'kysely';
import type { Schema } from './schema.ts';

type Tables = 'clients' | 'audiences' | 'trusted_issuers' | 'customers' | 'workspaces';

/** Which resources a list shows. */
export type ShownResources = { readonly externalId: string; readonly showDeleted: boolean };

export const shownByDefault: ShownResources = { externalId: '', showDeleted: false };

/** Empty means all rows. */
export function withExternalId<T extends Tables, O>(
  rows: SelectQueryBuilder<Schema, T, O>,
  externalId: string,
): SelectQueryBuilder<Schema, T, O> {
  if (externalId === '') return rows;
  return rows.where(({ eb, ref }) => eb(ref('external_id' as never), '=', externalId as never));
}
