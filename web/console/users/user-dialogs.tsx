/** The dialogs that change a user, and the fields that several dialogs have. */
import { PasswordInput, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useRefreshOwnSession } from '../session/session-context.tsx';
import { CurrentPasswordInput } from '../shared/current-password-input.tsx';
import { displayName } from '../shared/display-name.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { validateScopes } from '../shared/scopes/scopes-field.tsx';
import { StaffScopesField } from '../shared/scopes/staff-scopes-field.tsx';
import { pathsOfChanges, withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

export function EmailField(props: TextInputProps) {
  return (
    <TextInput
      type="email"
      label="Email address"
      description="Used to sign in."
      required
      maxLength={254}
      autoComplete="off"
      {...props}
    />
  );
}

export function UserNameField(props: TextInputProps) {
  return <TextInput label="Name" maxLength={255} autoComplete="off" {...props} />;
}

export function EditUserDialog({ user }: { readonly user: User }) {
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
        const paths = pathsOfChanges(change, { name, email });
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

export function ChangeUserScopesDialog({ user }: { readonly user: User }) {
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

const passwordRule = 'At least 12 characters, and not the email address.';

export const passwordAdvice = `${passwordRule} Send it securely. The user can change it later.`;

type SetPasswordDialogProps = {
  readonly user: User;
  readonly isSelf: boolean;
};

export function SetPasswordDialog({ user, isSelf }: SetPasswordDialogProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { currentPassword: '', password: '' },
  });
  const set = useMethod(UserService.method.setPassword);
  return (
    <FormDialog
      title={`Set password of ${isolateName(displayName(user))}`}
      label="Set password"
      form={form}
      submit={({ currentPassword, password }) =>
        set({ userId: user.id, currentPassword, password })
      }
    >
      <Text>
        The old password stops working immediately.{' '}
        {isSelf
          ? 'All your other sessions are signed out.'
          : 'All sessions of the user are signed out.'}
      </Text>
      {isSelf ? (
        <CurrentPasswordInput
          key={form.key('currentPassword')}
          {...form.getInputProps('currentPassword')}
        />
      ) : null}
      <PasswordInput
        label="New password"
        description={isSelf ? passwordRule : passwordAdvice}
        required
        autoComplete="new-password"
        {...(isSelf ? {} : { 'data-autofocus': true })}
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}
