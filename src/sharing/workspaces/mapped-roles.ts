// The roles that groups at an identity provider have in workspaces.
import type { Clock } from '../../base/clock.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import type { Role } from './roles.ts';
import {
  deleteMember,
  deleteProvidedMembers,
  findMember,
  findMissingWorkspaces,
  putMember,
} from './store.ts';

export function createMappedRoles(now: Clock) {
  return {
    findMissing: findMissingWorkspaces,
    end: deleteProvidedMembers,

    async apply(
      trx: Executor,
      userId: string,
      roles: ReadonlyMap<string, Exclude<Role, 'owner'>>,
      workspaceIds: readonly string[],
    ): Promise<boolean> {
      let isChanged = false;
      for (const workspaceId of workspaceIds) {
        const old = await findMember(trx, workspaceId, userId);
        const role = roles.get(workspaceId);
        // A workspace keeps its owners: only people appoint and remove them.
        if (old?.role === role || old?.role === 'owner') continue;
        if (role === undefined) {
          await deleteMember(trx, workspaceId, userId);
        } else {
          // The workspace may have been deleted since the mapping was made.
          if ((await findMissingWorkspaces(trx, [workspaceId])).length > 0) continue;
          await putMember(trx, {
            workspace_id: workspaceId,
            user_id: userId,
            role,
            create_time: now(),
            joined: 1,
          });
        }
        isChanged = true;
      }
      return isChanged;
    },
  };
}
