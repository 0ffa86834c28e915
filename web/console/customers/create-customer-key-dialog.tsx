import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { keyTokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpiryField, parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { ScopesField, validateScopes } from '../shared/scopes-field.tsx';
import { splitWords } from '../shared/split-words.ts';
import { useMethod } from '../shared/use-method.ts';

const suggestions = ['accounts:read', 'accounts:write'];

export type CreateCustomerKeyDialogProps = {
  readonly customerId: string;
};

export function CreateCustomerKeyDialog(props: CreateCustomerKeyDialogProps) {
  const { customerId } = props;
  const { showSecret } = useDialogs();
  const create = useMethod(CustomerService.method.createApiKey);
  const form = useForm({
    initialValues: { name: '', scopes: '', expireTime: '' },
    validate: {
      scopes: (text) =>
        splitWords(text).length === 0 ? 'Enter at least one scope.' : validateScopes(text),
    },
  });
  return (
    <FormDialog
      title="Create API key"
      label="Create"
      form={form}
      submit={async ({ name, scopes, expireTime }) => {
        const { apiKey } = await create({
          customerId,
          name,
          scopes: splitWords(scopes),
          ...parseExpireTime(expireTime),
        });
        showSecret({
          title: name === '' ? 'New API key' : `New API key “${isolateName(name)}”`,
          label: 'API key',
          text: apiKey,
          command: keyTokenCommand(apiKey),
        });
      }}
    >
      <TextInput
        label="Name"
        description="Optional. Helps you recognize the key later."
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ScopesField
        required
        suggestions={suggestions}
        suggestionsLabel="Latchkey scopes that a customer can have"
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
      />
      <ExpiryField {...form.getInputProps('expireTime')} />
    </FormDialog>
  );
}
