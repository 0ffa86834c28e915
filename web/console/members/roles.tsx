/** The roles in a workspace. */
import { Badge } from '@mantine/core';
import { MemberRole } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { Facts } from '../shared/facts.tsx';
import { Section } from '../shared/section.tsx';

const names: Record<MemberRole, string> = {
  [MemberRole.UNSPECIFIED]: 'Unknown',
  [MemberRole.OWNER]: 'Owner',
  [MemberRole.ADMIN]: 'Admin',
  [MemberRole.MEMBER]: 'Member',
};

const roleText = (role: MemberRole) => names[role];

/** Such as `an admin`. */
export function roleWithArticle(role: MemberRole): string {
  const name = roleText(role).toLowerCase();
  return `${/^[aou]/.test(name) ? 'an' : 'a'} ${name}`;
}

const meanings: readonly (readonly [MemberRole, string])[] = [
  [MemberRole.OWNER, 'All permissions of an admin, plus adding and removing owners.'],
  [MemberRole.ADMIN, 'All permissions of a member, plus API keys, members and the workspace name.'],
  [MemberRole.MEMBER, 'Views, creates, changes and deletes documents and links.'],
];

export function RoleBadge({ role }: { readonly role: MemberRole }) {
  return (
    <Badge variant="light" color={role === MemberRole.MEMBER ? 'gray' : 'accent'}>
      {roleText(role)}
    </Badge>
  );
}

export function RoleDescriptions() {
  return (
    <Section title="Roles">
      <Facts facts={meanings.map(([role, value]) => ({ name: roleText(role), value }))} />
    </Section>
  );
}

/** The form value of each role. */
const byName = {
  owner: MemberRole.OWNER,
  admin: MemberRole.ADMIN,
  member: MemberRole.MEMBER,
} as const;

export type RoleName = keyof typeof byName;

export const roleOf = (name: RoleName): MemberRole => byName[name];

export function roleNameOf(role: MemberRole): RoleName {
  if (role === MemberRole.OWNER) return 'owner';
  return role === MemberRole.ADMIN ? 'admin' : 'member';
}

export function roleOptions(mayMakeOwners: boolean) {
  const options: { value: RoleName; label: string }[] = [
    { value: 'member', label: roleText(MemberRole.MEMBER) },
    { value: 'admin', label: roleText(MemberRole.ADMIN) },
  ];
  if (mayMakeOwners) options.push({ value: 'owner', label: roleText(MemberRole.OWNER) });
  return options;
}
