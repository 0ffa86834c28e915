// Quotas limit how much a workspace may store. Usage is counted in the transaction that stores or
// deletes data, so that the count is correct after a crash and with concurrent calls.
import type { Config } from '../../base/config/config.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import { createKeyedQueue } from '../../base/limits/keyed-queue.ts';
import { isForeignKeyViolation } from '../../storage/database.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import {
  addUsage,
  findQuotaAndUsage,
  findUsage,
  type StoredQuota,
  type UsageKind,
  usageKinds,
  type WorkspaceUsage,
} from './store.ts';

export type { StoredQuota, WorkspaceUsage } from './store.ts';

export type Quota = {
  readonly bytesMax: number;
  readonly documentsMax: number;
  readonly linksMax: number;
  readonly viewsMax: number;
};

export function defaultQuota(
  config: Pick<
    Config,
    'workspaceBytesMax' | 'workspaceDocumentsMax' | 'workspaceLinksMax' | 'workspaceViewsMax'
  >,
): Quota {
  return {
    bytesMax: config.workspaceBytesMax,
    documentsMax: config.workspaceDocumentsMax,
    linksMax: config.workspaceLinksMax,
    viewsMax: config.workspaceViewsMax,
  };
}

export type Quotas = {
  quotaOf(stored: StoredQuota): Quota;
  usageOf(workspaceIds: readonly string[], trx?: Executor): Promise<WorkspaceUsage[]>;
  /**
   * Returns the bytes of an upload. Throws `conflict` immediately if one of the quotas is used up.
   * Reading the bytes throws `conflict` when they exceed the quota of bytes.
   */
  within(
    workspaceId: string,
    bytes: AsyncIterable<Uint8Array>,
    kinds: readonly UploadQuota[],
  ): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Runs a transaction that counts for the workspace, after the earlier ones of this process. Its
   * transactions thus occupy one connection while another process holds the lock of the workspace,
   * and hold that lock once if this process stops. Throws `unavailable` after `waitMs`.
   */
  inTurn<T>(workspaceId: string, transaction: () => Promise<T>): Promise<T>;
  /** Throws `conflict` for an exceeded quota: roll back. Waits for other transactions. */
  add(trx: Executor, workspaceId: string, added: Partial<WorkspaceUsage>): Promise<void>;
  /**
   * Other transactions that count for the workspace wait until this one ends. Throws `not_found` if
   * the workspace does not exist.
   */
  lock(trx: Executor, workspaceId: string): Promise<void>;
  remove(trx: Executor, workspaceId: string, removed: WorkspaceUsage): Promise<void>;
};

export type QuotasOptions = {
  readonly db: Database;
  readonly defaults: Quota;
  /** How long a transaction waits for earlier ones of its workspace. */
  readonly waitMs: number;
};

/** A new version does not count as a document. */
export type UploadQuota = 'documents' | 'bytes';

const nothing: WorkspaceUsage = { bytes: 0, documents: 0, links: 0, views: 0 };

export function createQuotas({ db, defaults, waitMs }: QuotasOptions): Quotas {
  const underWay = createUnderWay();
  const queue = createKeyedQueue(waitMs, tooManyChanges);
  const quotaOf = (stored: StoredQuota): Quota => ({
    bytesMax: stored.bytes_max ?? defaults.bytesMax,
    documentsMax: stored.documents_max ?? defaults.documentsMax,
    linksMax: stored.links_max ?? defaults.linksMax,
    viewsMax: stored.views_max ?? defaults.viewsMax,
  });

  /** A workspace that does not exist has the defaults, and uses nothing. */
  async function read(executor: Executor, workspaceId: string) {
    const stored = await findQuotaAndUsage(executor, workspaceId);
    if (stored === undefined) return { quota: defaults, used: nothing };
    return { quota: quotaOf(stored), used: stored };
  }

  async function usageOf(
    workspaceIds: readonly string[],
    trx: Executor = db,
  ): Promise<WorkspaceUsage[]> {
    if (workspaceIds.length === 0) return [];
    const rows = await findUsage(trx, workspaceIds);
    const byId = new Map(rows.map(({ workspace_id, ...usage }) => [workspace_id, usage]));
    return workspaceIds.map((id) => byId.get(id) ?? nothing);
  }

  return {
    quotaOf,

    usageOf,

    inTurn: queue.run,

    async within(workspaceId, bytes, uploadKinds) {
      const { quota, used } = await read(db, workspaceId);
      for (const kind of uploadKinds) {
        if (used[kind] >= quota[`${kind}Max`]) throw exceeded(kind, quota);
      }
      const room = quota.bytesMax - used.bytes;
      return underWay.within(room, workspaceId, bytes, () => exceeded('bytes', quota));
    },

    async add(trx, workspaceId, added) {
      await addUsage(trx, workspaceId, added);
      const { quota, used } = await read(trx, workspaceId);
      for (const kind of usageKinds) {
        if ((added[kind] ?? 0) > 0 && used[kind] > quota[`${kind}Max`]) throw exceeded(kind, quota);
      }
    },

    async lock(trx, workspaceId) {
      await addUsage(trx, workspaceId, {}).catch((error: unknown) => {
        if (!isForeignKeyViolation(error)) throw error;
        throw fail('not_found', 'The workspace does not exist.', { target: workspaceId });
      });
    },

    async remove(trx, workspaceId, { bytes, documents, links, views }) {
      const removed = { bytes: -bytes, documents: -documents, links: -links, views: -views };
      await addUsage(trx, workspaceId, removed);
    },
  };
}

const tooManyChanges = () =>
  new Failure('unavailable', 'Too many changes of this workspace are waiting.', {
    retryAfterSeconds: 1,
  });

/** Counts the bytes of uploads in progress, so that together they stay within the quota. */
function createUnderWay() {
  const sums = new Map<string, number>();
  function add(workspaceId: string, size: number): number {
    const sum = (sums.get(workspaceId) ?? 0) + size;
    if (sum === 0) sums.delete(workspaceId);
    else sums.set(workspaceId, sum);
    return sum;
  }
  return {
    async *within(
      room: number,
      workspaceId: string,
      bytes: AsyncIterable<Uint8Array>,
      refusal: () => Failure,
    ) {
      let own = 0;
      try {
        for await (const chunk of bytes) {
          own += chunk.length;
          if (add(workspaceId, chunk.length) > room) throw refusal();
          yield chunk;
        }
      } finally {
        add(workspaceId, -own);
      }
    },
  };
}

function exceeded(kind: UsageKind, quota: Quota): Failure {
  const max = quota[`${kind}Max`];
  return fail(
    'conflict',
    `The workspace's quota ${kind}_max (${max}) would be exceeded. ` +
      'Delete documents, or ask for a larger quota.',
  );
}
