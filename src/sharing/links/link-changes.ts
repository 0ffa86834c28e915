// Changing and revoking links: one, or up to 200 at once with the same checks.

import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type LinkService,
  type UpdateLinkRequest,
  UpdateLinkRequestSchema,
} from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { requireEtag, touched } from '../../api/etag.ts';
import { readUpdate } from '../../api/update-mask.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema/schema.ts';
import type { Agreements } from '../agreements/agreements.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { inBatch, inLockOrder } from './batches.ts';
import type { LinkMessages } from './link-messages.ts';
import { requireLink } from './links.ts';
import { requireEntries, requireVersion } from './new-links.ts';
import { changesGate, checkOptions, fieldsAt, impliedBy, linkState } from './options.ts';
import { type HashLinkPassword, hashEqualOnce } from './password-rules.ts';
import { type LinkChange, revokeLink, updateLink } from './store.ts';

export type LinkChangeOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly quotas: Pick<Quotas, 'lock' | 'inTurn'>;
  readonly messages: LinkMessages;
  readonly hashPassword: HashLinkPassword;
  readonly agreements: Pick<Agreements, 'storeText'>;
  /** Forgets the views that the creator of a link has not been mailed about. */
  readonly forgetViews: (trx: Executor, linkId: string) => Promise<void>;
  readonly now: Clock;
};

type LinkChangeMethods = Pick<
  ServiceImpl<typeof LinkService>,
  'updateLink' | 'batchUpdateLinks' | 'revokeLink' | 'batchRevokeLinks'
>;

/** A change whose fields are valid. */
type Prepared = {
  readonly id: string;
  readonly workspaceId: string;
  readonly paths: readonly string[];
  readonly change: LinkChange;
  readonly agreement: string;
  readonly etag: string;
};

export function createLinkChangeMethods(options: LinkChangeOptions): LinkChangeMethods {
  const { db, auditLog, quotas, messages, hashPassword, agreements, forgetViews, now } = options;

  async function prepare(
    request: UpdateLinkRequest,
    context: HandlerContext,
    hash: HashLinkPassword,
  ): Promise<Prepared> {
    const workspaceId = workspaceOf(context);
    const { linkId: id, agreement, etag, password } = request;
    const { paths, change } = readUpdate(UpdateLinkRequestSchema, request, fieldsAt(now()));
    const prepared = { id, workspaceId, paths, agreement, etag };
    if (!paths.includes('password')) return { ...prepared, change: withImplied(change) };
    await requireLink(db, workspaceId, id);
    const password_hash = await hash(password, context);
    return { ...prepared, change: { ...withImplied(change), password_hash } };
  }

  async function apply(
    trx: Executor,
    prepared: Prepared,
    context?: HandlerContext,
  ): Promise<LinkRow> {
    const { id, workspaceId, paths, change, agreement } = prepared;
    const changesRules = paths.includes('entry_rules');
    await lockRow(trx, 'links', 'id', id);
    const before = await requireLink(trx, workspaceId, id);
    requireEtag(context, prepared, linkState(before));
    const timed = { ...change, ...touched(before, change, now()) };
    const changed = await updateLink(trx, { workspaceId, id }, timed, changesGate(paths));
    const row = await requireLink(trx, workspaceId, id);
    if (!changed) throw fail('conflict', 'The link was revoked.');
    checkOptions(row, paths);
    const { agreement_sha256: sha256 = '' } = change;
    await agreements.storeText(trx, { sha256, text: agreement });
    if (pinsVersion(prepared)) await requireVersion(trx, row);
    if (changesRules) await requireEntries(trx, row, before.entry_rules);
    if (paths.includes('notify')) await forgetViews(trx, row.id);
    return row;
  }

  function change<T>(
    context: HandlerContext,
    all: readonly Prepared[],
    work: (trx: Executor) => Promise<T>,
  ): Promise<T> {
    const workspaceId = workspaceOf(context);
    const pins = all.some(pinsVersion);
    const run = () =>
      auditLog.change(context, { target: all.map(({ id }) => id) }, async (trx) => {
        // The deletion of a version locks the usage, too.
        if (pins) await quotas.lock(trx, workspaceId);
        return work(trx);
      });
    return pins ? quotas.inTurn(workspaceId, run) : run();
  }

  return {
    async updateLink(request, context) {
      const prepared = await prepare(request, context, hashPassword);
      return messages.answer(
        await change(context, [prepared], (trx) => apply(trx, prepared, context)),
      );
    },

    async batchUpdateLinks({ requests }, context) {
      const workspaceId = workspaceOf(context);
      const known = new Set<string>();
      const hashOnce = hashEqualOnce(hashPassword);
      const all: (Prepared & { readonly at: string })[] = [];
      for (const [i, request] of requests.entries()) {
        // Each password takes a slow hash.
        context.signal.throwIfAborted();
        const at = `requests[${i}]`;
        const read = async () => {
          requireBatched(request, workspaceId, known);
          return prepare(request, context, hashOnce);
        };
        all.push({ ...(await inBatch(at, read, '.link_id')), at });
        known.add(request.linkId);
      }
      const rows = await change(context, all, async (trx) => {
        const changed = new Map<string, LinkRow>();
        for (const prepared of inLockOrder(all)) {
          const work = () => apply(trx, prepared);
          changed.set(prepared.id, await inBatch(prepared.at, work, '.link_id'));
        }
        return all.flatMap(({ id }) => changed.get(id) ?? []);
      });
      return { links: await messages.all(rows) };
    },

    async revokeLink({ linkId }, context) {
      const workspaceId = workspaceOf(context);
      const { id } = await requireLink(db, workspaceId, linkId);
      await auditLog.change(context, { target: id }, async (trx) => {
        await lockRow(trx, 'links', 'id', id);
        requireEtag(context, {}, linkState(await requireLink(trx, workspaceId, id)));
        await revokeLink(trx, id, now());
      });
      return {};
    },

    async batchRevokeLinks({ ids }, context) {
      const workspaceId = workspaceOf(context);
      const links: LinkRow[] = [];
      for (const [i, id] of ids.entries()) {
        if (ids.indexOf(id) < i) throw invalid(`ids[${i}]`, 'must be in the list only once');
        links.push(await inBatch(`ids[${i}]`, () => requireLink(db, workspaceId, id), ''));
      }
      await auditLog.change(context, { target: ids }, async (trx) => {
        for (const { id } of inLockOrder(links)) await revokeLink(trx, id, now());
      });
      return {};
    },
  };
}

const withImplied = (change: LinkChange): LinkChange => ({ ...impliedBy(change), ...change });

const pinsVersion = ({ paths }: Prepared) => paths.includes('pinned_version');

/** Throws `invalid_argument` for a request that only a batch refuses. */
function requireBatched(
  { linkId, workspaceId, updateMask }: UpdateLinkRequest,
  workspaceIdOfCall: string,
  known: ReadonlySet<string>,
): void {
  if (known.has(linkId)) throw invalid('link_id', 'must be in only one request');
  if (workspaceId !== '' && workspaceId !== workspaceIdOfCall) {
    throw invalid('workspace_id', 'must be the workspace of the call');
  }
  // Otherwise, over HTTP, a request with only `allow_download: false` would change nothing.
  if (!updateMask?.paths.length) throw invalid('update_mask', 'is required');
}
