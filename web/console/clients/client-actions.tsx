import { Button } from '@mantine/core';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { useAct } from '../parts/act.ts';
import { elsewhereText } from '../parts/credentials/credential.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { EnableButton } from '../parts/enable-button.tsx';
import { isolated } from '../parts/isolated.tsx';

export type ClientActionsProps = {
  readonly client: Client;
  readonly open: (dialog: 'name' | 'scopes') => void;
};

export function ClientActions({ client, open }: ClientActionsProps) {
  const { confirm } = useDialogs();
  const disable = useAct(ClientService.method.disableClient);
  const enable = useAct(ClientService.method.enableClient);
  const { id: clientId, name, disableTime } = client;
  const askToDisable = () =>
    confirm({
      title: `Disable “${isolated(name)}”?`,
      consequence:
        `It gets no more tokens, and those that it has are refused at once. ${elsewhereText()} ` +
        'It can be enabled again.',
      label: 'Disable',
      act: () => disable({ clientId }),
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
