import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { sharingCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpiryField, parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { requireScopes, ScopesField } from '../shared/scopes/scopes-field.tsx';
import { useMethod } from '../shared/use-method.ts';

const areas = ['documents', 'links'];

/** The actions that the scopes permit in the workspace. */
const permissions: Readonly<Record<string, string>> = {
  'documents:read': 'List documents and download them.',
  'documents:write': 'Upload, rename and delete documents.',
  'links:read': 'List links and their views.',
  'links:write': 'Create, change and revoke links.',
};

type CreateWorkspaceKeyDialogProps = { readonly workspaceId: string };

export function CreateWorkspaceKeyDialog({ workspaceId }: CreateWorkspaceKeyDialogProps) {
  const { showSecret } = useDialogs();
  const hasScope = useHasScope();
  const create = useMethod(ApiKeyService.method.createApiKey);
  const form = useForm({
    initialValues: { name: '', scopes: [] as string[], expireTime: '' },
    validate: { scopes: requireScopes },
  });
  return (
    <FormDialog
      title="Create API key"
      label="Create"
      form={form}
      submit={async ({ name, scopes, expireTime }) => {
        const request = { workspaceId, name, scopes, ...parseExpireTime(expireTime) };
        const { apiKey } = await create(request);
        showSecret({
          title: `New API key “${isolateName(name)}”`,
          label: 'API key',
          text: apiKey,
          command: sharingCommand(apiKey, scopes),
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
      <ScopesField
        description="The actions that the key allows."
        required
        areas={areas}
        canGrant={hasScope}
        describe={(scope) => permissions[scope]}
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
      />
      <ExpiryField {...form.getInputProps('expireTime')} />
    </FormDialog>
  );
}
