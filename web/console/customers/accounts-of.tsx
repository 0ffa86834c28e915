import { Button, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Customer } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { TextLink } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { Some } from '../parts/some.tsx';
import { useHasScope } from '../session/context.tsx';
import { AccountsDialog } from './accounts-dialog.tsx';

export type AccountsOfProps = { readonly customer: Customer; readonly mayChange: boolean };

/** Which accounts a customer has: the first of them, and the way to all. */
export function AccountsOf({ customer, mayChange }: AccountsOfProps) {
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
            <Some words={accountIds} />
            {mayList ? <Text size="sm">{whole}</Text> : null}
          </Stack>
        )}
      </Paper>
      {mayChange ? (
        <AccountsDialog
          key={accountIds.join(' ')}
          customer={customer}
          isOpen={isOpen}
          close={close}
        />
      ) : null}
    </Section>
  );
}
