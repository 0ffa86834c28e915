import { NativeSelect, PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { ScopesGrid } from './scopes-grid.tsx';
import { passwordAdvice } from './set-password-dialog.tsx';
import { EmailField, UserNameField } from './user-fields.tsx';

type Values = { kind: string; email: string; name: string; password: string; scopes: string[] };

const initialValues: Values = { kind: 'member', email: '', name: '', password: '', scopes: [] };

export function CreateUserDialog() {
  const [kind, setKind] = useState(initialValues.kind);
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues,
    onValuesChange: (values) => setKind(values.kind),
  });
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
        key={form.key('kind')}
        {...form.getInputProps('kind')}
      />
      <EmailField key={form.key('email')} {...form.getInputProps('email')} />
      <UserNameField key={form.key('name')} {...form.getInputProps('name')} />
      <PasswordInput
        label="Password"
        description={`${passwordAdvice} Leave it empty for a user with a company account.`}
        autoComplete="new-password"
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
      {kind === 'staff' ? (
        <ScopesGrid form={form} held={[]} />
      ) : (
        <Text size="sm" c="dimmed">
          A member’s permissions depend on their role in each workspace. Add them to a workspace in
          “Members”.
        </Text>
      )}
    </FormDialog>
  );
}
