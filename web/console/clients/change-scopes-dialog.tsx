import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { useAct } from '../parts/act.ts';
import { elsewhereText } from '../parts/credentials/credential.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { problemOfScopes } from '../parts/scopes-field.tsx';
import { wordsIn } from '../parts/words-in.ts';
import { GrantedScopesField } from './granted-scopes-field.tsx';

export type ChangeScopesDialogProps = {
  /** Its scopes are to be given as the component's key, too. */
  readonly client: Client;
  readonly isOpen: boolean;
  readonly close: () => void;
};

export function ChangeScopesDialog({ client, isOpen, close }: ChangeScopesDialogProps) {
  const update = useAct(ClientService.method.updateClient);
  const form = useForm({
    initialValues: { scopes: client.scopes.join('\n') },
    validate: { scopes: problemOfScopes },
  });
  const kept = new Set(wordsIn(form.values.scopes));
  const lost = client.scopes.filter((scope) => !kept.has(scope));
  return (
    <FormDialog
      title="Change scopes"
      label="Save"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={({ scopes }) =>
        update({
          clientId: client.id,
          scopes: wordsIn(scopes),
          updateMask: { paths: ['scopes'] },
        })
      }
    >
      <GrantedScopesField
        data-autofocus
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
      />
      <Text size="sm" role="status">
        {lost.length === 0
          ? ''
          : `Taken away at once, from the tokens that there are, too: ${lost.join(', ')}. ` +
            elsewhereText()}
      </Text>
    </FormDialog>
  );
}
