import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { keyTokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpiryField, parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { requireScopes, ScopesField } from '../shared/scopes/scopes-field.tsx';
import { useAreasInUse } from '../shared/scopes/use-areas-in-use.ts';
import { useMethod } from '../shared/use-method.ts';

/** Of the management scopes, customers can have only these. */
const areas = ['accounts'];

const describe = (scope: string) =>
  scope === 'accounts:read'
    ? 'Lists the accounts of the customer.'
    : 'Permits nothing in Latchkey. It is for services that check tokens.';

export type CreateCustomerKeyDialogProps = {
  readonly customerId: string;
  /** The scopes of the customer’s other keys. */
  readonly scopesInUse: readonly string[];
};

export function CreateCustomerKeyDialog(props: CreateCustomerKeyDialogProps) {
  const { customerId, scopesInUse } = props;
  const { showSecret } = useDialogs();
  const create = useMethod(CustomerService.method.createApiKey);
  const form = useForm({
    initialValues: { name: '', scopes: [] as string[], expireTime: '' },
    validate: { scopes: requireScopes },
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
          scopes,
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
        areas={areas}
        canGrant={() => true}
        describe={describe}
        areasInUse={useAreasInUse(scopesInUse)}
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
      />
      <ExpiryField {...form.getInputProps('expireTime')} />
    </FormDialog>
  );
}
