import { Button, Paper, Stack, Text } from '@mantine/core';
import type { Customer } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpandableList, isShortened } from '../shared/expandable-list.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Section } from '../shared/section.tsx';
import { EditAccountsDialog } from './edit-accounts-dialog.tsx';

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
