// Accepting invitations to a workspace.

import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { InvitationService } from '../../../gen/latchkey/sharing/v1/invitation_pb.js';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { linkTokenMatches, parseLinkToken } from '../../base/crypto/link-token.ts';
import { fail } from '../../base/errors/errors.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import { findUserRowByEmail } from '../../storage/queries/users.ts';
import type { Database, Executor, InvitationRow, UserRow } from '../../storage/schema/schema.ts';
import { endInvitations, findInvitation, findInvitationsTo } from './invitations/store.ts';
import { invitationMs } from './invitations.ts';
import { mayStillInvite } from './inviter.ts';
import { protoRoles } from './roles.ts';
import { findMember, findWorkspace, putMember } from './store.ts';

export type NewMembers = {
  prepare(user: { email: string; name: string; password: string }): Promise<UserRow>;
  insert(trx: Executor, row: UserRow): Promise<void>;
};

export type InvitationServiceOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly newMembers: NewMembers;
  readonly now: Clock;
};

export function createInvitationService(
  options: InvitationServiceOptions,
): ServiceImpl<typeof InvitationService> {
  const { db, auditLog, newMembers, now } = options;

  async function requireInvitation(executor: Executor, text: string): Promise<InvitationRow> {
    const token = parseLinkToken('inv', text);
    const row = token && (await findInvitation(executor, token.id));
    if (token === undefined || row === undefined) throw notValid();
    const isInTime = now() < row.expire_time && row.expire_time <= now() + invitationMs;
    if (!linkTokenMatches(token, row.digest) || !isInTime) throw notValid(row.id);
    const workspace = await findWorkspace(executor, row.workspace_id);
    if (workspace?.delete_time !== null) throw notValid(row.id);
    return row;
  }

  async function join(trx: Executor, row: InvitationRow, userId: string): Promise<void> {
    const ids = (await findInvitationsTo(trx, row)).map(({ id }) => id);
    // A concurrent call waits here, and finds nothing to delete afterwards.
    const deleted = await endInvitations(trx, ids);
    if (!deleted.includes(row.id) || !(await mayStillInvite(trx, row))) throw notValid(row.id);
    const workspace = await findWorkspace(trx, row.workspace_id);
    if (workspace?.delete_time !== null) throw notValid(row.id);
    const { workspace_id, role } = row;
    const member = { workspace_id, user_id: userId, role, create_time: now() };
    await putMember(trx, { ...member, joined: 1 });
  }

  return {
    async readInvitation({ token }) {
      const row = await requireInvitation(db, token);
      const workspace = await findWorkspace(db, row.workspace_id);
      return {
        email: row.email,
        workspaceName: workspace?.name ?? '',
        role: protoRoles[row.role],
        hasUser: (await findUserRowByEmail(db, row.email)) !== undefined,
        expireTime: timestampFromMs(row.expire_time),
      };
    },

    async acceptInvitation({ token, name, password }, context) {
      const row = await requireInvitation(db, token);
      const { email, workspace_id: workspaceId } = row;
      if ((await findUserRowByEmail(db, email)) !== undefined) throw userExists();
      const user = await newMembers.prepare({ email, name, password });
      const actor = { type: 'member', id: user.id } as const;
      await auditLog.change(context, { target: row.id, actor }, async (trx) => {
        await newMembers.insert(trx, user);
        await join(trx, row, user.id);
      });
      return { workspaceId, userId: user.id };
    },

    async joinWorkspace({ token, userId }, context) {
      const row = await requireInvitation(db, token);
      return auditLog.create(context, { target: row.id }, async (trx) => {
        // Checks of a user's roles lock the user, so a new role waits for them.
        const user = await lockRow(trx, 'users', 'id', userId);
        if (user?.email !== row.email) throw otherAddress();
        if ((await findMember(trx, row.workspace_id, userId)) !== undefined) throw alreadyMember();
        await join(trx, row, userId);
        return { workspaceId: row.workspace_id };
      });
    },
  };
}

const notValid = (target?: string) =>
  fail(
    'identity.credential_invalid',
    'The invitation is not valid, was used or revoked, or has expired. Ask for a new one.',
    target === undefined ? {} : { target },
  );

const userExists = () =>
  fail('conflict', 'A user with this email address exists. Sign in to accept the invitation.');

const otherAddress = () =>
  fail('forbidden', 'The invitation is for another email address. Sign in with that address.');

const alreadyMember = () => fail('conflict', 'The user is already a member of the workspace.');
