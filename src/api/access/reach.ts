// Where a caller may list resources. A method that answers with resources of several kinds follows
// the rules of the methods that list them.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { access as accessOption } from '../../../gen/latchkey/options/v1/access_pb.js';
import { type Caller, principalTypes } from '../principal.ts';

/** Everywhere, or only within these workspaces. */
export type Reach = 'everywhere' | readonly string[];

/** `method` lists resources of the installation or of a workspace. */
export async function reachOf(
  { principal, membershipsOf }: Pick<Caller, 'principal' | 'membershipsOf'>,
  method: DescMethod,
): Promise<Reach> {
  if (principal.type === 'anonymous') return [];
  const { principals, scope } = getOption(method, accessOption);
  const isAccepted = principals.includes(principalTypes[principal.type]);
  if (!isAccepted || !principal.scopes.has(scope)) return [];
  switch (principal.type) {
    case 'service':
    case 'staff':
      return 'everywhere';
    case 'workspace_key':
      return [principal.workspaceId];
    case 'member': {
      const memberships = [...(await membershipsOf(principal.userId))];
      return memberships.flatMap(([id, { scopes, isDeleted }]) =>
        scopes.has(scope) && !isDeleted ? [id] : [],
      );
    }
    // A customer lists its accounts, which are neither.
    case 'customer':
      return [];
  }
}

export function isWithin(reach: Reach | undefined, workspaceId: string): boolean {
  return reach === 'everywhere' || (reach?.includes(workspaceId) ?? false);
}
