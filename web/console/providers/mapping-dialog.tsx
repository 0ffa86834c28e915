import { NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  type IdentityProvider,
  IdentityProviderService,
  MappedRole,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { requireScopes } from '../shared/scopes/scopes-field.tsx';
import { StaffScopesField } from '../shared/scopes/staff-scopes-field.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

const kinds = [
  { value: 'member', label: 'Member of a workspace' },
  { value: 'admin', label: 'Admin of a workspace' },
  { value: 'staff', label: 'Staff with scopes' },
];

const initialValues = { group: '', kind: 'member', workspaceId: '', scopes: [] as string[] };

export function AddMappingDialog({ provider }: { readonly provider: IdentityProvider }) {
  const update = useMethod(IdentityProviderService.method.updateIdentityProvider);
  const form = useForm({
    initialValues,
    validate: {
      scopes: (scopes, { kind }) => (kind === 'staff' ? requireScopes(scopes) : null),
    },
  });
  const { kind } = form.values;
  return (
    <FormDialog
      title="Add group"
      label="Add"
      form={form}
      done="Group added"
      submit={({ group, scopes, workspaceId }) => {
        const role = kind === 'admin' ? MappedRole.ADMIN : MappedRole.MEMBER;
        const mapping =
          kind === 'staff' ? { group, scopes } : { group, workspaceId: workspaceId.trim(), role };
        const roleMappings = [...provider.roleMappings, mapping];
        return update({
          ...{ providerId: provider.id, etag: provider.etag },
          ...withMask({ roleMappings }),
        });
      }}
    >
      <TextInput
        label="Group"
        description="As the provider writes it, letter by letter."
        required
        maxLength={255}
        data-autofocus
        {...form.getInputProps('group')}
      />
      <NativeSelect label="Users in it become" data={kinds} {...form.getInputProps('kind')} />
      {kind === 'staff' ? (
        <StaffScopesField required {...form.getInputProps('scopes')} value={form.values.scopes} />
      ) : (
        <TextInput
          label="Workspace ID"
          description="From the settings of the workspace: ws_…"
          required
          maxLength={64}
          {...form.getInputProps('workspaceId')}
        />
      )}
    </FormDialog>
  );
}
