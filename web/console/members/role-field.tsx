import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { roleOptions } from './roles.tsx';

/** A dialog that gives a person a role in a workspace. */
export type RoleDialogProps = {
  readonly workspaceId: string;
  /** Only owners and staff can choose the role of an owner. */
  readonly mayMakeOwners: boolean;
};

type RoleFieldProps = Omit<NativeSelectProps, 'label' | 'data'> &
  Pick<RoleDialogProps, 'mayMakeOwners'>;

/** Chooses a `RoleName`. */
export function RoleField({ mayMakeOwners, ...props }: RoleFieldProps) {
  return <NativeSelect label="Role" data={roleOptions(mayMakeOwners)} {...props} />;
}
