import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  UpdateWorkspaceRequestSchema,
  type WorkspaceQuota,
  type WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import {
  deletionFields,
  deletionOf,
  notDeleted,
  storeStateChange,
  undeletionOf,
} from '../../api/deletion.ts';
import {
  createdColumns,
  externalIdChange,
  requireEtag,
  resourceFields,
  touched,
} from '../../api/etag.ts';
import { printableName, requiredName } from '../../api/fields.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import { workspaceOf } from '../../api/workspace.ts';
import { nameCreator } from '../../audit/names/creators.ts';
import { newId } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { refuseExternalId } from '../../storage/duplicates.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { Executor, WorkspaceRow } from '../../storage/schema/schema.ts';
import type { AnswerWorkspace, LogoMethods } from '../brand/logo-methods.ts';
import type { Quotas, StoredQuota } from '../quotas/quotas.ts';
import { changedRule, factorDueTimeOf } from './factor-rule.ts';
import { createInvitationMethods, type InvitationOptions } from './invitations.ts';
import { readLinkDefaults, storeLinkDefaults } from './link-defaults.ts';
import { createMemberMethods, requireOwner } from './members.ts';
import {
  findWorkspaces,
  insertWorkspace,
  updateWorkspace,
  type WorkspaceChange,
  workspaceList,
} from './store.ts';
import { lockWorkspace, requireWorkspace } from './workspaces.ts';

export type WorkspaceOptions = InvitationOptions & {
  readonly quotas: Quotas;
  readonly keptBackups: number;
  readonly logoMethods: (answer: AnswerWorkspace) => LogoMethods;
};

export function createWorkspaceService(
  options: WorkspaceOptions,
): ServiceImpl<typeof WorkspaceService> {
  const { db, auditLog, quotas, keptBackups, brands, logoMethods, random, now } = options;

  async function messagesOf(rows: readonly WorkspaceRow[], trx: Executor = db) {
    const usages = await quotas.usageOf(
      rows.map(({ id }) => id),
      trx,
    );
    return rows.map((row, i) => ({
      id: row.id,
      name: row.name,
      creator: row.creator_id ?? '',
      ...resourceFields(row),
      quota: quotas.quotaOf(row),
      brand: {
        accentColor: row.accent_color,
        logoUrl: brands.logoUrlOf(row.logo_id),
      },
      linkDefaults: readLinkDefaults(row.link_defaults),
      ...factorRuleMessage(row),
      ...deletionFields(row),
      ...(usages[i] === undefined ? {} : { usage: usages[i] }),
    }));
  }

  async function answer(row: WorkspaceRow, trx: Executor = db) {
    const [workspace] = await messagesOf([row], trx);
    return workspace === undefined ? {} : { workspace };
  }

  async function applyDeletion(context: HandlerContext, changeOf: typeof deletionOf) {
    const id = workspaceOf(context);
    const row = await auditLog.change(context, { target: id }, async (trx) => {
      const old = await lockWorkspace(trx, id);
      await requireOwner(trx, context, 'Only owners can delete or undelete a workspace.');
      const step = { before: old, changeOf, time: now() };
      return storeStateChange(context, step, (changed) => updateWorkspace(trx, id, changed));
    });
    return answer(row);
  }

  return {
    ...createMemberMethods(options),
    ...createInvitationMethods(options),
    ...logoMethods(answer),

    async createWorkspace(request, context) {
      const id = newId('ws', random);
      const row: WorkspaceRow = {
        ...{ id, name: printableName(request.name), ...storedQuota(request.quota) },
        ...createdColumns(request, now()),
        ...{ accent_color: '', logo_id: '', link_defaults: '' },
        ...{ factor_required_since: null, factor_grace_days: 0, ...notDeleted },
        creator_id: principalId(principalOf(context)),
      };
      return auditLog.create(context, { target: row.id }, async (trx) => {
        await insertWorkspace(trx, row).catch(refuseExternalId);
        return answer(row, trx);
      });
    },

    async getWorkspace(_request, context) {
      const id = workspaceOf(context);
      const { workspace } = await answer(await requireWorkspace(db, id));
      return workspace ? { workspace: await nameCreator(db, context, workspace, id) } : {};
    },

    async listWorkspaces(request, context) {
      const caller = principalOf(context);
      const member = caller.type === 'member' ? caller.userId : undefined;
      const query = parseListRequest(request, workspaceList.sorts, context.signal);
      const { rows, ...page } = await findWorkspaces(db, member, query, request);
      return { workspaces: await messagesOf(rows), ...page };
    },

    async deleteWorkspace(_request, context) {
      return { ...(await applyDeletion(context, deletionOf)), keptBackups };
    },

    undeleteWorkspace: (_request, context) => applyDeletion(context, undeletionOf),

    async updateWorkspace(request, context) {
      const id = workspaceOf(context);
      const { paths, change } = readUpdate(UpdateWorkspaceRequestSchema, request, fields);
      if (principalOf(context).type === 'member') refuseToMember(paths);
      if (paths.length === 0) {
        const row = await requireWorkspace(db, id);
        requireEtag(context, request, row);
        return answer(row);
      }
      const row = await auditLog.change(context, { target: id }, async (trx) => {
        const old = await lockWorkspace(trx, id);
        requireEtag(context, request, old);
        const rule = paths.includes('require_second_factor')
          ? changedRule(request.requireSecondFactor, old, now)
          : {};
        const changed = { ...change, ...rule };
        const timed = { ...changed, ...touched(old, changed, now()) };
        return (await updateWorkspace(trx, id, timed).catch(refuseExternalId)) ?? old;
      });
      return answer(row);
    },
  };
}

/** An external id decides which workspace a file of the operator changes. */
function refuseToMember(paths: readonly string[]): void {
  for (const [path, noun] of [
    ['quota', 'quota'],
    ['external_id', 'external id'],
  ] as const) {
    if (!paths.includes(path)) continue;
    throw fail('forbidden', `Members cannot change the ${noun} of a workspace.`);
  }
}

const fields = {
  name: ({ name }): WorkspaceChange => ({ name: requiredName(name) }),
  quota: ({ quota }): WorkspaceChange => storedQuota(quota),
  brand: ({ brand }): WorkspaceChange => ({
    accent_color: brand?.accentColor.toLowerCase() ?? '',
  }),
  link_defaults: ({ linkDefaults }): WorkspaceChange => ({
    link_defaults: storeLinkDefaults(linkDefaults),
  }),
  // The time at which it was required depends on the stored row.
  require_second_factor: (): WorkspaceChange => ({}),
  external_id: (request): WorkspaceChange => externalIdChange(request),
  grace_days: ({ graceDays }): WorkspaceChange => ({ factor_grace_days: graceDays }),
} satisfies UpdateFields<typeof UpdateWorkspaceRequestSchema, WorkspaceChange>;

function factorRuleMessage(row: WorkspaceRow) {
  const dueTime = factorDueTimeOf(row);
  return {
    requireSecondFactor: dueTime !== undefined,
    graceDays: row.factor_grace_days,
    ...(dueTime === undefined ? {} : { secondFactorDueTime: timestampFromMs(dueTime) }),
  };
}

/** Unset fields become null, which means the default. */
function storedQuota(quota: WorkspaceQuota | undefined): StoredQuota {
  const bytesMax = quota?.bytesMax ?? null;
  if (bytesMax !== null && !Number.isInteger(bytesMax)) {
    throw invalid('quota.bytes_max', 'must be a whole number');
  }
  return {
    bytes_max: bytesMax,
    documents_max: quota?.documentsMax ?? null,
    links_max: quota?.linksMax ?? null,
    views_max: quota?.viewsMax ?? null,
  };
}
