import { Button, Paper, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import {
  customerTokenLifetime,
  offlineVerificationNote,
} from '../shared/credentials/credential.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpandableList, isShortened } from '../shared/expandable-list.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { CodeArea } from '../shared/json-field.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Section } from '../shared/section.tsx';
import { splitWords, validateCount } from '../shared/split-words.ts';
import { useMethod } from '../shared/use-method.ts';

export type CustomerAccountsProps = { readonly customer: Customer; readonly mayChange: boolean };

/** The first accounts of a customer, with a link to the full list. */
export function CustomerAccounts({ customer, mayChange }: CustomerAccountsProps) {
  const { accountIds } = customer;
  const mayList = useHasScope()('accounts:read');
  const { open } = useDialogs();
  const whole = (
    <TextLink to="/accounts" search={{ customer: customer.id }} td="underline">
      Show all {accountIds.length} accounts
    </TextLink>
  );
  return (
    <Section
      title="Accounts"
      actions={
        mayChange ? (
          <Button
            variant="default"
            onClick={() => open(<EditAccountsDialog customer={customer} />)}
          >
            Edit accounts
          </Button>
        ) : undefined
      }
    >
      <Paper withBorder p="md">
        {accountIds.length === 0 ? (
          <Text size="sm">No accounts yet. The customer’s tokens can’t access any account.</Text>
        ) : (
          <Stack gap="sm">
            <ExpandableList items={accountIds} />
            {mayList && isShortened(accountIds.length) ? <Text size="sm">{whole}</Text> : null}
          </Stack>
        )}
      </Paper>
    </Section>
  );
}

const idsMax = 1000;
const idPattern = /^[A-Za-z0-9._:-]{1,128}$/;
const shownMax = 5;

function EditAccountsDialog({ customer }: { readonly customer: Customer }) {
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
