import { Text, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import {
  customerTokenLifetime,
  offlineVerificationNote,
} from '../shared/credentials/credential.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { splitWords, validateCount } from '../shared/split-words.ts';
import { useMethod } from '../shared/use-method.ts';

const idsMax = 1000;
const idPattern = /^[A-Za-z0-9._:-]{1,128}$/;
const shownMax = 5;

export type EditAccountsDialogProps = {
  /** Its accounts are to be given as the component's key, too. */
  readonly customer: Customer;
  readonly isOpen: boolean;
  readonly close: () => void;
};

export function EditAccountsDialog({ customer, isOpen, close }: EditAccountsDialogProps) {
  const put = useMethod(CustomerService.method.putAccounts);
  const form = useForm({
    initialValues: { accountIds: customer.accountIds.join('\n') },
    validate: { accountIds: validateAccountIds },
  });
  const kept = new Set(splitWords(form.values.accountIds));
  const lost = customer.accountIds.filter((id) => !kept.has(id));
  return (
    <FormDialog
      title="Edit accounts"
      label="Save"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={({ accountIds }) =>
        put({ customerId: customer.id, accountIds: splitWords(accountIds) })
      }
    >
      <Textarea
        label="Account ids"
        description={
          'One per line: up to 128 letters, digits and . _ : - each. At most 1,000, and 6,000 ' +
          'characters in all with 3 more for each, since all of them travel in every token.'
        }
        rows={8}
        resize="vertical"
        spellCheck={false}
        autoCapitalize="none"
        classNames={{ input: 'mono' }}
        data-autofocus
        {...form.getInputProps('accountIds')}
      />
      <Text size="sm" role="status">
        {lost.length === 0
          ? ''
          : `Taken away at once, from the tokens that there are, too: ${listOf(lost)}. ` +
            offlineVerificationNote(customerTokenLifetime)}
      </Text>
    </FormDialog>
  );
}

function validateAccountIds(text: string): string | null {
  const ids = splitWords(text);
  const wrong = ids.find((id) => !idPattern.test(id));
  if (wrong !== undefined) {
    return `“${wrong}” is no account id: those have 1 to 128 letters, digits and . _ : -`;
  }
  return validateCount(ids, idsMax);
}

function listOf(ids: readonly string[]): string {
  const rest = ids.length - shownMax;
  const shown = ids.slice(0, shownMax).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
