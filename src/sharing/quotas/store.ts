import type { Executor, WorkspaceRow, WorkspaceUsageRow } from '../../storage/schema.ts';

export type WorkspaceUsage = Omit<WorkspaceUsageRow, 'workspace_id'>;

/** The quota in a workspace's row. Null means the default. */
export type StoredQuota = Pick<
  WorkspaceRow,
  'bytes_max' | 'documents_max' | 'links_max' | 'views_max'
>;

/**
 * Adds to the usage of a workspace and returns the new usage. Other transactions that add to it
 * wait until this one ends.
 */
export async function addUsage(
  trx: Executor,
  workspaceId: string,
  change: Partial<WorkspaceUsage>,
): Promise<WorkspaceUsage> {
  const added = { bytes: 0, documents: 0, links: 0, views: 0, ...change };
  return trx
    .insertInto('workspace_usage')
    .values({ workspace_id: workspaceId, ...added })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet((eb) => ({
        bytes: eb('workspace_usage.bytes', '+', added.bytes),
        documents: eb('workspace_usage.documents', '+', added.documents),
        links: eb('workspace_usage.links', '+', added.links),
        views: eb('workspace_usage.views', '+', added.views),
      })),
    )
    .returning(['bytes', 'documents', 'links', 'views'])
    .executeTakeFirstOrThrow();
}

/** Returns the usage by workspace. A workspace without any usage is missing. */
export function findUsage(
  db: Executor,
  workspaceIds: readonly string[],
): Promise<WorkspaceUsageRow[]> {
  return db
    .selectFrom('workspace_usage')
    .selectAll()
    .where('workspace_id', 'in', workspaceIds)
    .execute();
}

export function findQuota(db: Executor, workspaceId: string): Promise<StoredQuota | undefined> {
  return db
    .selectFrom('workspaces')
    .select(['bytes_max', 'documents_max', 'links_max', 'views_max'])
    .where('id', '=', workspaceId)
    .executeTakeFirst();
}
