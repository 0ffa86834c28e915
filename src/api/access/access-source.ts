// The kinds of access of a user. Each feature finds and ends its own kinds, so that one method can
// list and end all of them.
import type { Executor, UserRow } from '../../storage/schema/schema.ts';

export type AccessRow = {
  readonly id: string;
  readonly create_time: number;
  readonly expire_time?: number | null;
  readonly detail?: string;
  /** The name of a row that has no named resource, such as the browser of a session. */
  readonly name?: string;
};

export type FoundAccess = { readonly rows: readonly AccessRow[]; readonly totalSize: number };

export type AccessOwner = Pick<UserRow, 'id' | 'email'>;

/** `time` decides what has not expired. */
export type AccessSource = {
  /** The newest rows, and the number of all. */
  find(db: Executor, user: AccessOwner, time: number): Promise<FoundAccess>;
  end(trx: Executor, user: AccessOwner, time: number): Promise<unknown>;
  /** The scopes that the caller needs to end these rows; unset if the grants of the user decide. */
  scopesToEnd?(trx: Executor, user: AccessOwner, time: number): Promise<readonly string[]>;
};

/** Rows that stay when all access of a user ends. */
export type KeptSource = Pick<AccessSource, 'find'>;

/** The kinds of the other module. */
export type SharedAccess = {
  readonly sources: Readonly<
    Record<'memberships' | 'links' | 'sentInvitations' | 'receivedInvitations', AccessSource>
  >;
  /** Locks the workspaces of which the user is an owner now. Their owners then cannot change. */
  lockOwned(trx: Executor, userId: string): Promise<readonly string[]>;
  /** Throws `conflict` if a workspace has no enabled owner left. */
  requireOwners(trx: Executor, workspaceIds: readonly string[]): Promise<void>;
};
