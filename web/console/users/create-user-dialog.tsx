import { NativeSelect, PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { StaffScopesField } from '../shared/scopes/staff-scopes-field.tsx';
import { useMethod } from '../shared/use-method.ts';
import { passwordAdvice } from './set-password-dialog.tsx';
import { EmailField, UserNameField } from './user-fields.tsx';

type Values = { kind: string; email: string; name: string; password: string; scopes: string[] };

const initialValues: Values = { kind: 'member', email: '', name: '', password: '', scopes: [] };

export function CreateUserDialog() {
  const form = useForm<Values>({ initialValues });
  const create = useMethod(UserService.method.createUser);
  const navigate = useNavigate();
  return (
    <FormDialog
      title="Create user"
      label="Create"
      form={form}
      submit={async ({ kind, email, name, password, scopes }) => {
        const isStaff = kind === 'staff';
        const { user } = await create({
          kind: isStaff ? UserKind.STAFF : UserKind.MEMBER,
          email: email.trim(),
          name,
          password,
          scopes: isStaff ? scopes : [],
        });
        await navigate({ to: '/users/$userId', params: { userId: user?.id ?? '' } });
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
      <PasswordInput
        label="Password"
        description={`${passwordAdvice} Leave it empty for a user with a company account.`}
        autoComplete="new-password"
        {...form.getInputProps('password')}
      />
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
