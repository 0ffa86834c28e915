/** What the roles in a workspace mean. */
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

/** With its article, such as `an admin`. */
export function roleWithArticle(role: MemberRole): string {
  const name = roleText(role).toLowerCase();
  return `${/^[aou]/.test(name) ? 'an' : 'a'} ${name}`;
}

const meanings: readonly (readonly [MemberRole, string])[] = [
  [MemberRole.OWNER, 'Everything that an admin may, and saying who else is an owner.'],
  [
    MemberRole.ADMIN,
    'Documents and links; also API keys, the workspace’s name, and who is a member.',
  ],
  [MemberRole.MEMBER, 'Documents and links: looks at them, makes, changes and removes them.'],
];

export function RoleBadge({ role }: { readonly role: MemberRole }) {
  return (
    <Badge variant="light" color={role === MemberRole.MEMBER ? 'gray' : 'accent'}>
      {roleText(role)}
    </Badge>
  );
}

export function RoleMeanings() {
  return (
    <Section title="What the roles mean">
      <Facts facts={meanings.map(([role, value]) => ({ name: roleText(role), value }))} />
    </Section>
  );
}

/** As a form holds a role. */
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

/** What a form offers; only owners and staff make somebody an owner. */
export function roleOptions(mayMakeOwners: boolean) {
  const options: { value: RoleName; label: string }[] = [
    { value: 'member', label: roleText(MemberRole.MEMBER) },
    { value: 'admin', label: roleText(MemberRole.ADMIN) },
  ];
  if (mayMakeOwners) options.push({ value: 'owner', label: roleText(MemberRole.OWNER) });
  return options;
}
