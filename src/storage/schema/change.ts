// Changes of cached entities. Triggers of the database record them: see
// storage/migrations/0002-changes.ts and the migrations after it.

export type Entity =
  | 'client'
  | 'customer'
  | 'credential'
  | 'user'
  | 'session'
  | 'workspace'
  | 'signing_key'
  | 'audience'
  | 'trusted_issuer'
  | 'revoked_token'
  | 'document'
  | 'folder'
  | 'link'
  | 'domain';

export type EntityChange = {
  readonly id: number;
  readonly entity: Entity;
  readonly entityId: string;
  /** For a revoked token, when the token would have expired. */
  readonly expireTime: number | null;
};

/** Changes that were read together. They can be sent to another process as JSON. */
export type Changes = {
  /** False if changes may be missing. Any entity may then have changed. */
  readonly isComplete: boolean;
  readonly list: readonly EntityChange[];
  /** In SQLite, later changes have higher ids. 0 in PostgreSQL, whose ids have no order. */
  readonly lastId: number;
};

export const noChanges: Changes = { isComplete: true, list: [], lastId: 0 };

export type EntityKey = `${Entity}:${string}`;

export const entityKey = (entity: Entity, id: string): EntityKey => `${entity}:${id}`;

/**
 * The `entity` of a row that notes a deletion of old rows. Its `entity_id` is the boundary of the
 * deletion. A process that has not read up to the boundary may have missed changes.
 */
export const deletionNote = 'deletion';
