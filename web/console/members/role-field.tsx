import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { type RoleName, roleOptions } from './roles.tsx';

/** A dialog that gives a person a role in a workspace. */
export type RoleDialogProps = {
  readonly workspaceId: string;
  /** Only owners and staff can choose the role of an owner. */
  readonly mayMakeOwners: boolean;
};

/** The props of a dialog that adds a member. */
export type NewMemberDialogProps = RoleDialogProps & {
  /** The preselected role: owner for the first member, because only owners add owners. */
  readonly role: RoleName;
};

type RoleFieldProps = Omit<NativeSelectProps, 'label' | 'data'> &
  Pick<RoleDialogProps, 'mayMakeOwners'>;

/** Chooses a `RoleName`. */
export function RoleField({ mayMakeOwners, ...props }: RoleFieldProps) {
  return <NativeSelect label="Role" data={roleOptions(mayMakeOwners)} {...props} />;
}
