// The members of a workspace and their roles.

import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { actingClientOf, principalOf } from '../../api/principal.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors/errors.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { protoRoles, roleScopes, rolesByProto } from './roles.ts';
import {
  deleteMember,
  findMember,
  findMembers,
  hasWorkspaceOwner,
  type MemberUser,
  memberList,
  putMember,
} from './store.ts';
import { lockWorkspace, requireWorkspace } from './workspaces.ts';

type MemberOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly now: Clock;
};

type MemberMethods = Pick<
  ServiceImpl<typeof WorkspaceService>,
  'putMember' | 'removeMember' | 'leaveWorkspace' | 'listMembers'
>;

export function createMemberMethods({ db, auditLog, now }: MemberOptions): MemberMethods {
  /** Runs a transaction that locks the workspace, so that the count of owners cannot change. */
  function change<T>(
    context: HandlerContext,
    target: string,
    work: (trx: Executor, workspaceId: string) => Promise<T>,
  ): Promise<T> {
    return auditLog.change(context, { target }, async (trx) => {
      const workspaceId = workspaceOf(context);
      await lockWorkspace(trx, workspaceId);
      return work(trx, workspaceId);
    });
  }

  return {
    async putMember({ userId, role: wireRole }, context) {
      const role = rolesByProto.get(wireRole) ?? 'member';
      const member = await change(context, userId, async (trx, workspaceId) => {
        const old = await findMember(trx, workspaceId, userId);
        // A member could otherwise try ids, and add users who were not asked.
        if (old === undefined && principalOf(context).type === 'member') throw notMember();
        // Checks of a user's roles lock the user, so a change of the roles waits for them.
        const user = await lockRow(trx, 'users', 'id', userId);
        if (user === undefined || user.delete_time !== null || user.purge_time !== null) {
          throw fail('not_found', 'The user does not exist.');
        }
        await requireHeldScopes(trx, context, roleScopes[role], { workspaceId });
        if (role === 'owner' || old?.role === 'owner') await requireOwner(trx, context);
        if (user.kind === 'staff') throw fail('conflict', 'Staff users need no membership.');
        await putMember(trx, {
          workspace_id: workspaceId,
          user_id: userId,
          role,
          create_time: now(),
          joined: 0,
        });
        if (old?.role === 'owner') await requireOwnerLeft(trx, workspaceId);
        return findMember(trx, workspaceId, userId);
      });
      if (member === undefined) throw new Error('the new membership is missing');
      return { member: memberMessage(member) };
    },

    async removeMember({ userId }, context) {
      await change(context, userId, (trx, workspaceId) =>
        remove(trx, workspaceId, userId, async ({ role }) => {
          if (role === 'owner') await requireOwner(trx, context);
        }),
      );
      return {};
    },

    async leaveWorkspace(_request, context) {
      const caller = principalOf(context);
      if (caller.type !== 'member') throw new Error('only members can leave a workspace');
      // The scope is that of reading, which a person may give to any program.
      if (actingClientOf(caller) !== '') {
        throw fail('forbidden', 'This method does not accept tokens from a token exchange.');
      }
      const { userId } = caller;
      await change(context, userId, (trx, workspaceId) => remove(trx, workspaceId, userId));
      return {};
    },

    async listMembers(request, context) {
      const workspaceId = workspaceOf(context);
      await requireWorkspace(db, workspaceId);
      const query = parseListRequest(request, memberList.sorts, context.signal);
      const { rows, ...page } = await findMembers(db, workspaceId, query);
      return { members: rows.map(memberMessage), ...page };
    },
  };
}

/** Throws if the caller is a member but not an owner. */
export async function requireOwner(
  trx: Executor,
  context: HandlerContext,
  detail = 'Only owners can add, invite, change or remove an owner.',
): Promise<void> {
  const caller = principalOf(context);
  if (caller.type !== 'member') return;
  const own = await findMember(trx, workspaceOf(context), caller.userId);
  if (own?.role !== 'owner') throw fail('forbidden', detail);
}

async function remove(
  trx: Executor,
  workspaceId: string,
  userId: string,
  check: (member: MemberUser) => Promise<void> = async () => {},
): Promise<void> {
  await lockRow(trx, 'users', 'id', userId);
  const old = await findMember(trx, workspaceId, userId);
  if (old === undefined) throw notMember();
  await check(old);
  await deleteMember(trx, workspaceId, userId);
  if (old.role === 'owner') await requireOwnerLeft(trx, workspaceId);
}

const notMember = () => fail('not_found', 'The user is not a member of the workspace.');

async function requireOwnerLeft(trx: Executor, workspaceId: string): Promise<void> {
  if (await hasWorkspaceOwner(trx, workspaceId)) return;
  throw fail('conflict', 'The workspace would lose its last owner.', { target: workspaceId });
}

function memberMessage(row: MemberUser) {
  return {
    workspaceId: row.workspace_id,
    userId: row.user_id,
    role: protoRoles[row.role],
    email: row.email,
    name: row.name,
    createTime: timestampFromMs(row.create_time),
  };
}
