import { Button } from '@mantine/core';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { ActionButton, DisableOrEnable } from '../shared/action-button.tsx';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { DeleteButton } from '../shared/delete-button.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { ChangeClientScopesDialog } from './change-client-scopes-dialog.tsx';

export function ClientActions({ client }: { readonly client: Client }) {
  const { open, confirm } = useDialogs();
  const update = useMethod(ClientService.method.updateClient);
  const disable = useMethod(ClientService.method.disableClient);
  const enable = useMethod(ClientService.method.enableClient);
  const remove = useMethod(ClientService.method.deleteClient);
  const undelete = useMethod(ClientService.method.undeleteClient);
  const { id: clientId, name, etag, disableTime } = client;
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
      <DisableOrEnable
        isEnabled={disableTime === undefined}
        askToDisable={askToDisable}
        enable={() => enable({ clientId })}
      />
      <DeleteButton
        noun="client"
        name={name}
        effect={effect}
        loss="After that, the client, its secrets and keys are deleted for good."
        remove={() => remove({ clientId })}
        restore={restore}
      />
    </>
  );
}
