// The external ids of resources: one resource of a kind at most has an external id.
import { Code } from '@connectrpc/connect';
import type { SelectQueryBuilder } from 'kysely';
import { fail } from '../base/errors/errors.ts';
import { isUniqueViolation } from './database.ts';
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

/** Both databases name the column or its index in the message, and no value. */
export const isExternalIdTaken = (error: unknown): boolean =>
  isUniqueViolation(error) && error instanceof Error && /[._]external_id\b/.test(error.message);

/** Throws `conflict` if another resource has the external id. */
export function refuseExternalId(error: unknown): never {
  if (!isExternalIdTaken(error)) throw error;
  const detail = 'external_id: Another resource of this kind has this external id.';
  throw fail('conflict', detail, { grpc: Code.AlreadyExists });
}
