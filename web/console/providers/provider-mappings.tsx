/** The permissions of the groups of a provider. */
import { Button, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  type IdentityProvider,
  IdentityProviderService,
  MappedRole,
  type RoleMapping,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { requireScopes } from '../shared/scopes/scopes-field.tsx';
import { StaffScopesField } from '../shared/scopes/staff-scopes-field.tsx';
import { Section } from '../shared/section.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

type ProviderMappingsProps = {
  readonly provider: IdentityProvider;
  readonly mayChange: boolean;
};

export function ProviderMappings({ provider, mayChange }: ProviderMappingsProps) {
  const { open, confirm } = useDialogs();
  const update = useMethod(IdentityProviderService.method.updateIdentityProvider);
  const { id: providerId, etag, roleMappings } = provider;
  const askToRemove = (mapping: RoleMapping) => {
    const others = roleMappings.filter((other) => other !== mapping);
    const { workspaceId } = mapping;
    const isLastOfWorkspace =
      workspaceId !== '' && !others.some((other) => other.workspaceId === workspaceId);
    confirm({
      title: `Remove the group “${isolateName(mapping.group)}”?`,
      consequence: isLastOfWorkspace
        ? 'The users that this provider has created leave the workspace immediately, except owners.'
        : 'Its users lose these permissions at their next sign-in.',
      label: 'Remove',
      run: () => update({ providerId, etag, ...withMask({ roleMappings: others }) }),
    });
  };
  return (
    <Section
      title="Groups"
      actions={
        mayChange ? (
          <Button variant="default" onClick={() => open(<AddMappingDialog provider={provider} />)}>
            Add group
          </Button>
        ) : undefined
      }
    >
      <Text size="sm" c="dimmed" maw="70ch">
        Each sign-in applies them to the users that this provider has created. Other users keep
        their permissions.
      </Text>
      <Paper withBorder p="md">
        {roleMappings.length === 0 ? (
          <Text size="sm">No groups yet. New users are members without a workspace.</Text>
        ) : (
          <Stack gap="sm">
            {roleMappings.map((mapping, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a group can occur twice
              <Group key={i} justify="space-between" gap="sm" wrap="nowrap">
                <div style={{ overflowWrap: 'anywhere' }}>
                  <Text size="sm">{mapping.group}</Text>
                  <Text size="xs" c="dimmed">
                    {grantsText(mapping)}
                  </Text>
                </div>
                {mayChange ? (
                  <Button
                    variant="default"
                    size="compact-sm"
                    flex="none"
                    aria-label={`Remove ${mapping.group}`}
                    onClick={() => askToRemove(mapping)}
                  >
                    Remove
                  </Button>
                ) : null}
              </Group>
            ))}
          </Stack>
        )}
      </Paper>
    </Section>
  );
}

function grantsText({ scopes, role, workspaceId }: RoleMapping): string {
  if (scopes.length > 0) return `Staff: ${scopes.join(', ')}`;
  return `${role === MappedRole.ADMIN ? 'Admin' : 'Member'} of ${workspaceId}`;
}

const kinds = [
  { value: 'member', label: 'Member of a workspace' },
  { value: 'admin', label: 'Admin of a workspace' },
  { value: 'staff', label: 'Staff with scopes' },
];

const initialValues = { group: '', kind: 'member', workspaceId: '', scopes: [] as string[] };

function AddMappingDialog({ provider }: { readonly provider: IdentityProvider }) {
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
