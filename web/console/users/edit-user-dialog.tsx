import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useRefreshOwnSession } from '../session/session-context.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { editedPaths } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { EmailField, UserNameField } from './user-fields.tsx';

type EditUserDialogProps = {
  readonly user: User;
};

export function EditUserDialog({ user }: EditUserDialogProps) {
  const { name, email } = user;
  const form = useForm({ mode: 'uncontrolled', initialValues: { name, email } });
  const update = useMethod(UserService.method.updateUser);
  const refreshNow = useRefreshOwnSession(user.id);
  return (
    <FormDialog
      title="Edit name and email"
      label="Save"
      form={form}
      submit={async (values) => {
        const change = { name: values.name, email: values.email.trim() };
        // Sends only changed fields: changing only the name requires fewer permissions.
        const paths = editedPaths(change, { name, email });
        if (paths.length === 0) return;
        await update({ userId: user.id, etag: user.etag, ...change, updateMask: { paths } });
        await refreshNow();
      }}
    >
      <UserNameField data-autofocus key={form.key('name')} {...form.getInputProps('name')} />
      <EmailField key={form.key('email')} {...form.getInputProps('email')} />
    </FormDialog>
  );
}
