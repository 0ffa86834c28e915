// The scopes of each role in a workspace. Owners can also add and remove owners.
import { MemberRole } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { MemberRow } from '../../storage/schema/schema.ts';

export type Role = MemberRow['role'];

const sharing = ['documents:read', 'documents:write', 'links:read', 'links:write'];
const administration = [
  ...sharing,
  'api_keys:read',
  'api_keys:write',
  'workspaces:read',
  'workspaces:write',
];

export const roleScopes: Readonly<Record<Role, ReadonlySet<string>>> = {
  owner: new Set(administration),
  admin: new Set(administration),
  member: new Set([...sharing, 'workspaces:read']),
};

export const protoRoles = {
  owner: MemberRole.OWNER,
  admin: MemberRole.ADMIN,
  member: MemberRole.MEMBER,
} as const satisfies Record<Role, MemberRole>;

export const rolesByProto: ReadonlyMap<MemberRole, Role> = new Map(
  (['owner', 'admin', 'member'] as const).map((role) => [protoRoles[role], role]),
);
