import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type ApiKey, ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { credentialName } from '../shared/credentials/credential.ts';
import { CredentialsTable } from '../shared/credentials/credentials-table.tsx';
import { RotateKeyDialog } from '../shared/credentials/rotate-key-dialog.tsx';
import { sharingCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { Screen } from '../shared/screen.tsx';
import { useCreateDialog } from '../shared/use-create-dialog.ts';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { CreateWorkspaceKeyDialog } from './create-workspace-key-dialog.tsx';

export function ApiKeysScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/settings/api-keys' });
  const mayWrite = useHasScope()('api_keys:write');
  const [isOpen, { open, close }] = useCreateDialog();
  const [rotated, setRotated] = useState<ApiKey>();
  const list = usePagedList(ApiKeyService.method.listApiKeys, { workspaceId }, (page) => page.keys);
  const rotate = useMethod(ApiKeyService.method.rotateApiKey);
  const askToRevoke = useAskToRevoke(workspaceId);
  return (
    <Screen
      title="API keys"
      about={
        'Programs use an API key as a bearer token to access the documents and links of this ' +
        'workspace. A workspace can have up to 100 active keys.'
      }
      actions={mayWrite ? <Button onClick={open}>Create API key</Button> : undefined}
    >
      <CredentialsTable
        label="API keys"
        list={list}
        hasScopes
        {...(mayWrite ? { rotate: setRotated, revoke: askToRevoke } : {})}
        empty={
          mayWrite
            ? {
                title: 'No API keys yet',
                text: 'Create one to upload documents and create links from your own programs.',
              }
            : {
                title: 'No API keys yet',
                text: 'You don’t have permission to create API keys.',
              }
        }
      />
      <CreateWorkspaceKeyDialog workspaceId={workspaceId} isOpen={isOpen} close={close} />
      <RotateKeyDialog
        old={rotated}
        close={() => setRotated(undefined)}
        rotate={(keyId, overlapSeconds) => rotate({ workspaceId, keyId, overlapSeconds })}
        commandOf={sharingCommand}
      />
    </Screen>
  );
}

function useAskToRevoke(workspaceId: string) {
  const { confirm } = useDialogs();
  const revoke = useMethod(ApiKeyService.method.revokeApiKey);
  return (key: ApiKey) =>
    confirm({
      title: `Revoke ${isolateName(credentialName(key))}?`,
      consequence:
        'Programs that use this key are rejected immediately. Documents and links that were ' +
        'created with it stay. You can’t undo this.',
      label: 'Revoke',
      run: () => revoke({ workspaceId, keyId: key.id }),
    });
}
