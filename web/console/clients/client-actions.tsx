import { Button } from '@mantine/core';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { EnableButton } from '../shared/enable-button.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';

export type ClientActionsProps = {
  readonly client: Client;
  readonly open: (dialog: 'name' | 'scopes') => void;
};

export function ClientActions({ client, open }: ClientActionsProps) {
  const { confirm } = useDialogs();
  const disable = useMethod(ClientService.method.disableClient);
  const enable = useMethod(ClientService.method.enableClient);
  const { id: clientId, name, disableTime } = client;
  const askToDisable = () =>
    confirm({
      title: `Disable “${isolateName(name)}”?`,
      consequence:
        'It can’t get new tokens, and its existing tokens are rejected immediately. ' +
        `${offlineVerificationNote()} You can enable it again.`,
      label: 'Disable',
      run: () => disable({ clientId }),
    });
  return (
    <>
      <Button variant="default" onClick={() => open('name')}>
        Rename
      </Button>
      <Button variant="default" onClick={() => open('scopes')}>
        Change scopes
      </Button>
      {disableTime === undefined ? (
        <Button variant="default" onClick={askToDisable}>
          Disable
        </Button>
      ) : (
        <EnableButton enable={() => enable({ clientId })} />
      )}
    </>
  );
}
