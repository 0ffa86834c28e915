import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useAct } from '../parts/act.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useCatchUp } from '../session/context.tsx';

type EditUserProps = {
  readonly user: User;
  readonly isOpen: boolean;
  readonly close: () => void;
};

export function EditUser({ user, isOpen, close }: EditUserProps) {
  const { name, email } = user;
  const form = useForm({ mode: 'uncontrolled', initialValues: { name, email } });
  const update = useAct(UserService.method.updateUser);
  const catchUp = useCatchUp(user.id);
  return (
    <FormDialog
      title="Change name and e-mail address"
      label="Save"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={async (values) => {
        const change = { name: values.name, email: values.email.trim() };
        // What is not changed is not sent: for a name alone, less power over the user is needed.
        const paths = (['name', 'email'] as const).filter((path) => change[path] !== user[path]);
        if (paths.length === 0) return;
        await update({ userId: user.id, ...change, updateMask: { paths } });
        await catchUp();
      }}
    >
      <TextInput
        label="Name"
        maxLength={255}
        autoComplete="off"
        data-autofocus
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      <TextInput
        type="email"
        label="E-mail address"
        description="To sign in with, from then on."
        required
        maxLength={254}
        autoComplete="off"
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
    </FormDialog>
  );
}
