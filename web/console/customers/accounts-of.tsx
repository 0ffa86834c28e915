import { Button, Group, Paper, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Customer } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { Section } from '../parts/section.tsx';
import { AccountsDialog } from './accounts-dialog.tsx';

export type AccountsOfProps = { readonly customer: Customer; readonly mayChange: boolean };

/** Which accounts a customer has: all of them, since they are told with it. */
export function AccountsOf({ customer, mayChange }: AccountsOfProps) {
  const { accountIds } = customer;
  const [isOpen, { open, close }] = useDisclosure(false);
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
          <Group component="ul" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
            {accountIds.map((id) => (
              <li key={id} className="mono">
                {id}
              </li>
            ))}
          </Group>
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
