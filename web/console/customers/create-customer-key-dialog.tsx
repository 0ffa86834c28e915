import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useAct } from '../parts/act.ts';
import { keyTokenCommand } from '../parts/commands.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { ExpiryField, expiryOf } from '../parts/expiry-field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { isolated } from '../parts/isolated.tsx';
import { problemOfScopes, ScopesField } from '../parts/scopes-field.tsx';
import { wordsIn } from '../parts/words-in.ts';

const suggestions = ['accounts:read', 'accounts:write'];

export type CreateCustomerKeyDialogProps = {
  readonly customerId: string;
  readonly isOpen: boolean;
  readonly close: () => void;
};

export function CreateCustomerKeyDialog(props: CreateCustomerKeyDialogProps) {
  const { customerId, isOpen, close } = props;
  const { showSecret } = useDialogs();
  const create = useAct(CustomerService.method.createApiKey);
  const form = useForm({
    initialValues: { name: '', scopes: '', expireTime: '' },
    validate: {
      scopes: (text) => (wordsIn(text).length === 0 ? 'Name one at least.' : problemOfScopes(text)),
    },
  });
  return (
    <FormDialog
      title="Create an API key"
      label="Create"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={async ({ name, scopes, expireTime }) => {
        const { apiKey } = await create({
          customerId,
          name,
          scopes: wordsIn(scopes),
          ...expiryOf(expireTime),
        });
        showSecret({
          title: name === '' ? 'The new key' : `The new key “${isolated(name)}”`,
          label: 'API key',
          text: apiKey,
          command: keyTokenCommand(apiKey),
        });
      }}
    >
      <TextInput
        label="Name"
        description="To tell it from others. May be empty."
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ScopesField
        required
        suggestions={suggestions}
        suggestionsLabel="Scopes of Latchkey itself that a customer may have"
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
      />
      <ExpiryField {...form.getInputProps('expireTime')} />
    </FormDialog>
  );
}
