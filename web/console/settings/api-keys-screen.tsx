import { Anchor } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type ApiKey, ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CredentialActions, credentialColumns } from '../shared/credentials/credential-columns.tsx';
import { CreateKeyDialog } from '../shared/credentials/key-dialogs.tsx';
import { sharingCommand } from '../shared/curl-commands.ts';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { useMethod } from '../shared/use-method.ts';

const keys = defineList({
  label: 'API keys',
  method: ApiKeyService.method.listApiKeys,
  rows: (page) => page.keys,
  columns: credentialColumns<ApiKey>({
    hasScopes: true,
    actions: (key) => <Actions apiKey={key} />,
    scope: 'api_keys:write',
  }),
});

export function ApiKeysScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/settings/api-keys' });
  return (
    <ListScreen
      list={useList(keys, { workspaceId })}
      about={
        <>
          Programs use an API key as a bearer token to access the documents and links of this
          workspace. A workspace can have up to 100 active keys. The{' '}
          <Anchor inherit underline="always" href="/docs" target="_blank" rel="noopener">
            API reference
          </Anchor>{' '}
          shows the first call.
        </>
      }
      create={<CreateWorkspaceKeyDialog workspaceId={workspaceId} />}
      empty={{
        title: 'No API keys yet',
        text: 'Create one to upload documents and create links from your own programs.',
        icon: IconKey,
      }}
      emptyText="You don’t have permission to create API keys."
    />
  );
}

ApiKeysScreen.reads = [keys];

function Actions({ apiKey: key }: { readonly apiKey: ApiKey }) {
  const { workspaceId = '' } = useParams({ strict: false });
  const rotate = useMethod(ApiKeyService.method.rotateApiKey);
  const revoke = useMethod(ApiKeyService.method.revokeApiKey);
  const at = { workspaceId, keyId: key.id };
  return (
    <CredentialActions
      credential={key}
      consequence={
        'Programs that use this key are rejected immediately. Documents and links that were ' +
        'created with it stay.'
      }
      revoke={() => revoke(at)}
      hasUsage={false}
      rotation={{
        rotate: (overlapSeconds) => rotate({ ...at, overlapSeconds }),
        commandOf: sharingCommand,
      }}
    />
  );
}

const areas = ['documents', 'links'];

/** The actions that the scopes permit in the workspace. */
const permissions: Readonly<Record<string, string>> = {
  'documents:read': 'List documents and download them.',
  'documents:write': 'Upload, rename and delete documents.',
  'links:read': 'List links and their views.',
  'links:write': 'Create, change and revoke links.',
};

function CreateWorkspaceKeyDialog({ workspaceId }: { readonly workspaceId: string }) {
  const create = useMethod(ApiKeyService.method.createApiKey);
  return (
    <CreateKeyDialog
      create={(key) => create({ workspaceId, ...key })}
      commandOf={sharingCommand}
      name={{ description: 'For example, the program that will use the key.', required: true }}
      scopes={{
        description: 'The actions that the key allows.',
        areas,
        canGrant: useHasScope(),
        describe: (scope) => permissions[scope],
      }}
    />
  );
}
