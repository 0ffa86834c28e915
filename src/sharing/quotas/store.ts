import { type RawBuilder, sql } from 'kysely';
import { compileOnce, type QueryParameters } from '../../storage/queries/compiled-query.ts';
import type { Executor, WorkspaceRow, WorkspaceUsageRow } from '../../storage/schema/schema.ts';

export type WorkspaceUsage = Omit<WorkspaceUsageRow, 'workspace_id'>;

/** The quota in a workspace's row. Null means the default. */
export type StoredQuota = Pick<
  WorkspaceRow,
  'bytes_max' | 'documents_max' | 'links_max' | 'views_max'
>;

const upsertUsage = compileOnce((db, added: QueryParameters<WorkspaceUsageRow>) => {
  const { workspace_id, bytes, documents, links, views } = added;
  return db
    .insertInto('workspace_usage')
    .values({ workspace_id, bytes, documents, links, views })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet((eb) => ({
        bytes: eb('workspace_usage.bytes', '+', eb.ref('excluded.bytes')),
        documents: eb('workspace_usage.documents', '+', eb.ref('excluded.documents')),
        links: eb('workspace_usage.links', '+', eb.ref('excluded.links')),
        views: eb('workspace_usage.views', '+', eb.ref('excluded.views')),
      })),
    );
});

/** Other transactions that add to the usage wait until this one ends. */
export async function addUsage(
  trx: Executor,
  workspaceId: string,
  change: Partial<WorkspaceUsage>,
): Promise<void> {
  const added = { bytes: 0, documents: 0, links: 0, views: 0, ...change };
  await upsertUsage(trx, { workspace_id: workspaceId, ...added });
}

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

const selectQuotaAndUsage = compileOnce((db, { id }: QueryParameters<{ id: string }>) =>
  db
    .selectFrom('workspaces')
    .leftJoin('workspace_usage', 'workspace_usage.workspace_id', 'workspaces.id')
    .select(['bytes_max', 'documents_max', 'links_max', 'views_max'])
    .select(['bytes', 'documents', 'links', 'views'])
    .where('workspaces.id', '=', id),
);

export async function findQuotaAndUsage(
  db: Executor,
  id: string,
): Promise<(StoredQuota & WorkspaceUsage) | undefined> {
  const [row] = (await selectQuotaAndUsage(db, { id })).rows;
  if (row === undefined) return undefined;
  const { bytes, documents, links, views } = row;
  const usage = { bytes: bytes ?? 0, documents: documents ?? 0, links: links ?? 0 };
  return { ...row, ...usage, views: views ?? 0 };
}

export const usageKinds = ['bytes', 'documents', 'links', 'views'] as const;
export type UsageKind = (typeof usageKinds)[number];

/** Counts the workspaces that use more than 90 % of a quota. Reads all workspaces. */
export async function countNearQuota(
  db: Executor,
  defaults: Readonly<Record<UsageKind, number>>,
): Promise<Readonly<Record<UsageKind, number>>> {
  const count = (kind: UsageKind): RawBuilder<number | string | null> => {
    const max = sql`coalesce(${sql.ref(`${kind}_max`)}, ${defaults[kind]})`;
    return sql`sum(case when ${sql.ref(kind)} * 10 > ${max} * 9 then 1 else 0 end)`;
  };
  const counts = await db
    .selectFrom('workspaces')
    .innerJoin('workspace_usage', 'workspace_usage.workspace_id', 'workspaces.id')
    .select(usageKinds.map((kind) => count(kind).as(kind)))
    .where('workspaces.delete_time', 'is', null)
    .executeTakeFirstOrThrow();
  const [bytes = 0, documents = 0, links = 0, views = 0] = usageKinds.map((kind) =>
    Number(counts[kind] ?? 0),
  );
  return { bytes, documents, links, views };
}
