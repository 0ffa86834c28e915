// The data that the service holds about a user. Each feature reads its own kinds.
import type { Database } from '../../storage/schema/schema.ts';
import type { AccessOwner } from './access-source.ts';

export type DataPage = readonly Readonly<Record<string, unknown>>[];

/** The rows of one kind, without secrets, in pages of at most 500. */
export type UserData = (db: Database, user: AccessOwner) => AsyncIterable<DataPage>;
