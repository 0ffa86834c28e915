import { Button, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Customer } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Section } from '../shared/section.tsx';
import { EditAccountsDialog } from './edit-accounts-dialog.tsx';

export type CustomerAccountsProps = { readonly customer: Customer; readonly mayChange: boolean };

/** Which accounts a customer has: the first of them, and the way to all. */
export function CustomerAccounts({ customer, mayChange }: CustomerAccountsProps) {
  const { accountIds } = customer;
  const mayList = useHasScope()('accounts:read');
  const [isOpen, { open, close }] = useDisclosure(false);
  const whole = (
    <TextLink to="/accounts" search={{ customer: customer.id }} td="underline">
      {accountIds.length === 1 ? 'The account' : `All ${accountIds.length} accounts`} as a list
    </TextLink>
  );
  return (
    <Section
      title="Accounts"
      actions={
        mayChange ? (
          <Button variant="default" onClick={open}>
            Edit accounts
          </Button>
        ) : undefined
      }
    >
      <Paper withBorder p="md">
        {accountIds.length === 0 ? (
          <Text size="sm">None yet: its tokens are good for no account.</Text>
        ) : (
          <Stack gap="sm">
            <ExpandableList words={accountIds} />
            {mayList ? <Text size="sm">{whole}</Text> : null}
          </Stack>
        )}
      </Paper>
      {mayChange ? (
        <EditAccountsDialog
          key={accountIds.join(' ')}
          customer={customer}
          isOpen={isOpen}
          close={close}
        />
      ) : null}
    </Section>
  );
}
