// The inviter of an invitation must still be able to give the role when it is accepted. Otherwise
// a removed administrator could come back with an invitation to another address.
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { Executor, InvitationRow } from '../../storage/schema/schema.ts';
import { roleScopes } from './roles.ts';
import { findMember } from './store.ts';

export async function mayStillInvite(trx: Executor, row: InvitationRow): Promise<boolean> {
  const held = await heldScopes(trx, row);
  return ['workspaces:write', ...roleScopes[row.role]].every((scope) => held.has(scope));
}

async function heldScopes(trx: Executor, row: InvitationRow): Promise<ReadonlySet<string>> {
  const { inviter_type, inviter_id, workspace_id, role } = row;
  const table = inviter_type === 'service' ? 'clients' : 'users';
  const inviter = await lockRow(trx, table, 'id', inviter_id);
  if (inviter === undefined || inviter.disable_time !== null) return new Set();
  if (inviter_type !== 'member') return parseStoredScopes(inviter.scopes);
  const member = await findMember(trx, workspace_id, inviter_id);
  if (member === undefined) return new Set();
  return role === 'owner' && member.role !== 'owner' ? new Set() : roleScopes[member.role];
}
