import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useRefreshOwnSession } from '../session/session-context.tsx';
import { displayName } from '../shared/display-name.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';
import { ScopesGrid } from './scopes-grid.tsx';

type ChangeUserScopesDialogProps = {
  readonly user: User;
};

export function ChangeUserScopesDialog({ user }: ChangeUserScopesDialogProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { scopes: user.scopes } });
  const update = useMethod(UserService.method.updateUser);
  const refreshNow = useRefreshOwnSession(user.id);
  return (
    <FormDialog
      title={`Change scopes of ${isolateName(displayName(user))}`}
      label="Save"
      form={form}
      submit={async ({ scopes }) => {
        await update({ userId: user.id, scopes, updateMask: { paths: ['scopes'] } });
        await refreshNow();
      }}
    >
      <Text>Removed scopes are revoked immediately, also in active sessions.</Text>
      <ScopesGrid form={form} held={user.scopes} />
    </FormDialog>
  );
}
