import { sql } from 'kysely';
import { countRows } from '../../storage/queries/row-counts.ts';
import { findBy } from '../../storage/queries/table-queries.ts';
import type { Executor, PreviewRow } from '../../storage/schema/schema.ts';
import { selectHeld } from '../../storage/upkeep/leases.ts';

export type VersionKey = Pick<PreviewRow, 'document_id' | 'version'>;

export type QueuedVersion = VersionKey & Pick<PreviewRow, 'workspace_id'>;

export const findPreview = findBy('previews', 'document_id', 'version');

export function findPreviews(db: Executor, keys: readonly VersionKey[]): Promise<PreviewRow[]> {
  return db
    .selectFrom('previews')
    .selectAll()
    .where((eb) =>
      eb.or(
        keys.map(({ document_id, version }) =>
          eb.and([eb('document_id', '=', document_id), eb('version', '=', version)]),
        ),
      ),
    )
    .execute();
}

const jobPrefix = 'preview ';

export const jobLease = ({ document_id, version }: VersionKey) =>
  `${jobPrefix}${document_id} ${version}`;

/** A later time was set before the clock was set back. */
const waitMsMax = 3_600_000;

/**
 * Returns a version that no process converts now and whose next attempt is due: the oldest of the
 * first workspace whose id follows `after`.
 */
export function findDue(
  db: Executor,
  now: number,
  after: string,
): Promise<QueuedVersion | undefined> {
  const lease = sql<string>`${sql.lit(jobPrefix)} || previews.document_id || ' '
    || previews.version`;
  return db
    .selectFrom('previews')
    .select(['document_id', 'version', 'workspace_id'])
    .where('state', '=', 'pending')
    .where('workspace_id', '>', after)
    .where((eb) => eb.or([eb('due_time', '<=', now), eb('due_time', '>', now + waitMsMax)]))
    .where((eb) => eb.not(eb.exists(selectHeld(db).where('leases.name', '=', lease))))
    .orderBy('workspace_id')
    .orderBy('due_time')
    .orderBy('document_id')
    .orderBy('version')
    .limit(1)
    .executeTakeFirst();
}

const queueCountedMax = 10_000;

/** Returns the number of queued versions, counted up to 10,000. */
export function countQueue(db: Executor): Promise<number> {
  const queued = db
    .selectFrom('previews')
    .select('version')
    .where('state', '=', 'pending')
    .limit(queueCountedMax);
  return countRows(db.selectFrom(queued.as('queued')));
}

/** When the oldest queued version was stored. */
export async function findOldestQueued(db: Executor): Promise<number | undefined> {
  const row = await db
    .selectFrom('previews')
    .innerJoin('document_versions', (join) =>
      join
        .onRef('document_versions.document_id', '=', 'previews.document_id')
        .onRef('document_versions.version', '=', 'previews.version'),
    )
    .select(({ fn }) => fn.min<number | null>('document_versions.create_time').as('time'))
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return row?.time ?? undefined;
}

/** Changes a queued version. Returns false if it is not queued any more. */
export async function updateQueued(
  trx: Executor,
  { document_id, version }: VersionKey,
  change: Partial<Omit<PreviewRow, 'document_id' | 'version'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('previews')
    .set(change)
    .where('document_id', '=', document_id)
    .where('version', '=', version)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The caller has locked the usage of the workspace. */
export async function setPageCount(
  trx: Executor,
  { document_id, version }: VersionKey,
  page_count: number,
): Promise<void> {
  await trx
    .updateTable('document_versions')
    .set({ page_count })
    .where('document_id', '=', document_id)
    .where('version', '=', version)
    .execute();
  await trx
    .updateTable('documents')
    .set({ page_count })
    .where('id', '=', document_id)
    .where('version', '=', version)
    .execute();
}
