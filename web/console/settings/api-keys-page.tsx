import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type ApiKey, ApiKeyService } from '../../../gen/latchkey/sharing/v1/api_key_pb.js';
import { useAct } from '../parts/act.ts';
import { sharingCommand } from '../parts/commands.ts';
import { nameOf } from '../parts/credentials/credential.ts';
import { CredentialsTable } from '../parts/credentials/credentials-table.tsx';
import { RotateKeyDialog } from '../parts/credentials/rotate-key-dialog.tsx';
import { useDialogs } from '../parts/dialogs.tsx';
import { isolated } from '../parts/isolated.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { useHasScope } from '../session/context.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';

export function ApiKeysPage() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/settings/api-keys' });
  const mayWrite = useHasScope()('api_keys:write');
  const [isOpen, { open, close }] = useDisclosure(false);
  const [rotated, setRotated] = useState<ApiKey>();
  const list = usePaged(ApiKeyService.method.listApiKeys, { workspaceId }, (page) => page.keys);
  const rotate = useAct(ApiKeyService.method.rotateApiKey);
  const askToRevoke = useAskToRevoke(workspaceId);
  return (
    <Page
      title="API keys"
      about={
        'A program sends a key as its bearer token to work with this workspace’s documents and ' +
        'links. At most 100 are live at a time.'
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
                text: 'Create one to upload documents and make links from a program of yours.',
              }
            : {
                title: 'No API keys yet',
                text: 'Somebody who may change this workspace’s API keys can create one.',
              }
        }
      />
      <CreateKeyDialog workspaceId={workspaceId} isOpen={isOpen} close={close} />
      <RotateKeyDialog
        old={rotated}
        close={() => setRotated(undefined)}
        rotate={(keyId, overlapSeconds) => rotate({ workspaceId, keyId, overlapSeconds })}
        commandOf={sharingCommand}
      />
    </Page>
  );
}

function useAskToRevoke(workspaceId: string) {
  const { confirm } = useDialogs();
  const revoke = useAct(ApiKeyService.method.revokeApiKey);
  return (key: ApiKey) =>
    confirm({
      title: `Revoke ${isolated(nameOf(key))}?`,
      consequence:
        'Every program that uses this key is refused from then on. This cannot be undone. ' +
        'The documents and links that were made with it stay.',
      label: 'Revoke',
      act: () => revoke({ workspaceId, keyId: key.id }),
    });
}
