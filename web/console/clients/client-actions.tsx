import { Button, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconBan, IconTrash } from '@tabler/icons-react';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { ActionButton } from '../shared/action-button.tsx';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { useDelete } from '../shared/delete-button.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { ActionMenu } from '../shared/lists/row-menu.tsx';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { ClientScopesField } from '../shared/scopes/client-scopes-field.tsx';
import { validateScopes } from '../shared/scopes/scopes-field.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

export function ClientActions({ client }: { readonly client: Client }) {
  const { open, confirm } = useDialogs();
  const update = useMethod(ClientService.method.updateClient);
  const disable = useMethod(ClientService.method.disableClient);
  const enable = useMethod(ClientService.method.enableClient);
  const remove = useMethod(ClientService.method.deleteClient);
  const undelete = useMethod(ClientService.method.undeleteClient);
  const askToDelete = useDelete();
  const { id: clientId, name, etag, disableTime } = client;
  const isEnabled = disableTime === undefined;
  const restore = () => undelete({ clientId });
  if (client.deleteTime !== undefined) return <ActionButton label="Restore" act={restore} />;
  const effect =
    'It can’t get new tokens, and its existing tokens are rejected immediately. ' +
    offlineVerificationNote();
  const askToDisable = () =>
    confirm({
      title: `Disable “${isolateName(name)}”?`,
      consequence: `${effect} You can enable it again.`,
      label: 'Disable',
      run: () => disable({ clientId }),
    });
  const rename = () =>
    open(
      <RenameDialog
        noun="client"
        name={name}
        submit={(next) => update({ clientId, etag, ...withMask({ name: next }) })}
      />,
    );
  return (
    <>
      <Button variant="default" onClick={rename}>
        Rename
      </Button>
      <Button variant="default" onClick={() => open(<ChangeClientScopesDialog client={client} />)}>
        Change scopes
      </Button>
      {isEnabled ? null : <ActionButton label="Enable" act={() => enable({ clientId })} />}
      <ActionMenu
        name={name}
        actions={[
          isEnabled && { label: 'Disable', icon: IconBan, run: askToDisable },
          {
            label: 'Delete',
            icon: IconTrash,
            run: () =>
              askToDelete({
                noun: 'client',
                name,
                effect,
                loss: 'After that, the client, its secrets and keys are deleted for good.',
                remove: () => remove({ clientId }),
                restore,
              }),
          },
        ]}
      />
    </>
  );
}

function ChangeClientScopesDialog({ client }: { readonly client: Client }) {
  const update = useMethod(ClientService.method.updateClient);
  const form = useForm({
    initialValues: { scopes: client.scopes },
    validate: { scopes: validateScopes },
  });
  const kept = new Set(form.values.scopes);
  const lost = client.scopes.filter((scope) => !kept.has(scope));
  return (
    <FormDialog
      title="Change scopes"
      label="Save"
      form={form}
      submit={({ scopes }) =>
        update({ clientId: client.id, etag: client.etag, ...withMask({ scopes }) })
      }
    >
      <ClientScopesField
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
        held={client.scopes}
      />
      <Text size="sm" role="status">
        {lost.length === 0
          ? ''
          : `Removed immediately, also from existing tokens: ${lost.join(', ')}. ` +
            offlineVerificationNote()}
      </Text>
    </FormDialog>
  );
}
