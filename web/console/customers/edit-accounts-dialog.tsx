import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import {
  customerTokenLifetime,
  offlineVerificationNote,
} from '../shared/credentials/credential.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { CodeArea } from '../shared/json-field.tsx';
import { splitWords, validateCount } from '../shared/split-words.ts';
import { useMethod } from '../shared/use-method.ts';

const idsMax = 1000;
const idPattern = /^[A-Za-z0-9._:-]{1,128}$/;
const shownMax = 5;

export type EditAccountsDialogProps = {
  readonly customer: Customer;
};

export function EditAccountsDialog({ customer }: EditAccountsDialogProps) {
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
      form={form}
      submit={({ accountIds }) =>
        put({ customerId: customer.id, etag: customer.etag, accountIds: splitWords(accountIds) })
      }
    >
      <CodeArea
        label="Account IDs"
        description={
          'One per line, at most 1,000. Each ID has up to 128 characters: letters, digits and ' +
          '. _ : - Every token contains all IDs, so together they are limited to 6,000 ' +
          'characters, with 3 extra counted per ID.'
        }
        rows={8}
        data-autofocus
        {...form.getInputProps('accountIds')}
      />
      <Text size="sm" role="status">
        {lost.length === 0
          ? ''
          : `Removed immediately, also from existing tokens: ${listOf(lost)}. ` +
            offlineVerificationNote(customerTokenLifetime)}
      </Text>
    </FormDialog>
  );
}

function validateAccountIds(text: string): string | null {
  const ids = splitWords(text);
  const wrong = ids.find((id) => !idPattern.test(id));
  if (wrong !== undefined) {
    return `“${wrong}” isn’t a valid account ID. Use 1 to 128 letters, digits or . _ : -`;
  }
  return validateCount(ids, idsMax);
}

function listOf(ids: readonly string[]): string {
  const rest = ids.length - shownMax;
  const shown = ids.slice(0, shownMax).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
