import { NativeSelect, PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useSignInOptions } from '../session/provider-sign-in.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ErrorDialog } from '../shared/error-dialog.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { linkSentText, NoMailNote } from '../shared/no-mail-note.tsx';
import { StaffScopesField } from '../shared/scopes/staff-scopes-field.tsx';
import { showToast } from '../shared/toasts.tsx';
import { useMethod } from '../shared/use-method.ts';
import { EmailField, passwordAdvice, UserNameField } from './user-dialogs.tsx';

type SignIn = 'link' | 'password' | 'company';

type Values = {
  kind: string;
  email: string;
  name: string;
  signIn: SignIn;
  password: string;
  scopes: string[];
};

const initialValues: Values = {
  kind: 'member',
  email: '',
  name: '',
  signIn: 'link',
  password: '',
  scopes: [],
};

const signIns: readonly { readonly value: SignIn; readonly label: string }[] = [
  { value: 'link', label: 'Email a link to choose a password' },
  { value: 'password', label: 'Set a password now' },
  { value: 'company', label: 'No password: the user has a company account' },
];

export function CreateUserDialog() {
  const form = useForm<Values>({ initialValues });
  const create = useMethod(UserService.method.createUser);
  const mailLink = useMethod(UserService.method.mailPasswordLink);
  const navigate = useNavigate();
  const { open } = useDialogs();
  const hasPasswords = useSignInOptions()?.passwords ?? true;
  const signIn = hasPasswords ? form.values.signIn : 'company';
  return (
    <FormDialog
      title="Create user"
      label="Create"
      form={form}
      submit={async ({ kind, email, name, password, scopes }) => {
        const isStaff = kind === 'staff';
        const { user: { id: userId } = { id: '' } } = await create({
          kind: isStaff ? UserKind.STAFF : UserKind.MEMBER,
          email: email.trim(),
          name,
          password: signIn === 'password' ? password : '',
          scopes: isStaff ? scopes : [],
        });
        await navigate({ to: '/users/$userId', params: { userId } });
        if (signIn === 'link') {
          await mailLink({ userId }).then(
            () => showToast(linkSentText()),
            (error) => open(<ErrorDialog title="The link wasn’t sent" error={error} />),
          );
        }
      }}
    >
      <NativeSelect
        label="Type"
        description="You can’t change this later."
        data={[
          { value: 'member', label: 'Member: works in workspaces' },
          { value: 'staff', label: 'Staff: manages the service' },
        ]}
        data-autofocus
        {...form.getInputProps('kind')}
      />
      <EmailField {...form.getInputProps('email')} />
      <UserNameField {...form.getInputProps('name')} />
      {hasPasswords ? (
        <NativeSelect label="Sign-in" data={signIns} {...form.getInputProps('signIn')} />
      ) : (
        <Text size="sm">The user signs in with a company account: passwords are off.</Text>
      )}
      {signIn === 'link' ? <NoMailNote /> : null}
      {signIn === 'password' ? (
        <PasswordInput
          label="Password"
          description={passwordAdvice}
          required
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
      ) : null}
      {form.values.kind === 'staff' ? (
        <StaffScopesField {...form.getInputProps('scopes')} value={form.values.scopes} />
      ) : (
        <Text size="sm" c="dimmed">
          A member’s permissions depend on their role in each workspace. Add them to a workspace in
          “Members”.
        </Text>
      )}
    </FormDialog>
  );
}
