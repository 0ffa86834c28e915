import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { sharingCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpiryField, parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';

const offered = [
  { scope: 'documents:read', text: 'List documents and download them.' },
  { scope: 'documents:write', text: 'Upload, rename and delete documents.' },
  { scope: 'links:read', text: 'List links and their views.' },
  { scope: 'links:write', text: 'Create, change and revoke links.' },
];

type CreateWorkspaceKeyDialogProps = { readonly workspaceId: string };

export function CreateWorkspaceKeyDialog({ workspaceId }: CreateWorkspaceKeyDialogProps) {
  const { showSecret } = useDialogs();
  const create = useMethod(ApiKeyService.method.createApiKey);
  const form = useForm({
    initialValues: { name: '', scopes: [] as string[], expireTime: '' },
    validate: { scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one scope.' : null) },
  });
  return (
    <FormDialog
      title="Create API key"
      label="Create"
      form={form}
      submit={async ({ name, scopes, expireTime }) => {
        const request = { workspaceId, name, scopes, ...parseExpireTime(expireTime) };
        const { apiKey } = await create(request);
        const command = sharingCommand(apiKey, scopes);
        showSecret({
          title: `New API key “${isolateName(name)}”`,
          label: 'API key',
          text: apiKey,
          ...(command === undefined ? {} : { command }),
        });
      }}
    >
      <TextInput
        label="Name"
        description="For example, the program that will use the key."
        required
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ScopeChoice {...form.getInputProps('scopes')} />
      <ExpiryField {...form.getInputProps('expireTime')} />
    </FormDialog>
  );
}

/** Scopes that the user does not have are shown but disabled. */
function ScopeChoice(props: object) {
  const hasScope = useHasScope();
  return (
    <Checkbox.Group
      label="Scopes"
      description="The actions that the key allows."
      required
      {...props}
    >
      <Stack gap="xs" mt="xs">
        {offered.map(({ scope, text }) => (
          <Checkbox
            key={scope}
            value={scope}
            label={<span className="mono">{scope}</span>}
            description={hasScope(scope) ? text : `${text} You don’t have this scope.`}
            disabled={!hasScope(scope)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
