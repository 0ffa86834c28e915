import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useRefreshOwnSession } from '../session/session-context.tsx';
import { displayName } from '../shared/display-name.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { validateScopes } from '../shared/scopes/scopes-field.tsx';
import { StaffScopesField } from '../shared/scopes/staff-scopes-field.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

type ChangeUserScopesDialogProps = {
  readonly user: User;
};

export function ChangeUserScopesDialog({ user }: ChangeUserScopesDialogProps) {
  const form = useForm({
    initialValues: { scopes: user.scopes },
    validate: { scopes: validateScopes },
  });
  const update = useMethod(UserService.method.updateUser);
  const refreshNow = useRefreshOwnSession(user.id);
  return (
    <FormDialog
      title={`Change scopes of ${isolateName(displayName(user))}`}
      label="Save"
      form={form}
      submit={async ({ scopes }) => {
        await update({ userId: user.id, etag: user.etag, ...withMask({ scopes }) });
        await refreshNow();
      }}
    >
      <Text>Removed scopes are revoked immediately, also in active sessions.</Text>
      <StaffScopesField
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
        held={user.scopes}
      />
    </FormDialog>
  );
}
