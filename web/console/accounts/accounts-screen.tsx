import { useQuery } from '@connectrpc/connect-query';
import { Text } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { createdColumn } from '../shared/creation.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { Screen } from '../shared/screen.tsx';
import { CustomerFilter } from './customer-filter.tsx';

const accounts = defineList({
  label: 'Accounts',
  method: AccountService.method.listAccounts,
  rows: (page) => page.accounts,
  request: ({ customer = '' }: { readonly customer?: string }) => ({ customerId: customer }),
  columns: [
    {
      title: 'Account ID',
      orderBy: 'id',
      cell: ({ id }) => <CopyableText text={id} label={`account ID ${id}`} />,
    },
    createdColumn(),
  ],
});

export function AccountsScreen() {
  const mayFilter = useHasScope()('customers:read');
  const { customer: customerId = '' } = useSearch({ from: '/shell/accounts' });
  const { data } = useQuery(
    CustomerService.method.getCustomer,
    { customerId },
    { enabled: mayFilter && customerId !== '' },
  );
  const list = useList(accounts, { customer: customerId });
  return (
    <Screen
      about={
        'The accounts that customer tokens can access. An account exists as long as at least one ' +
        'customer has it.'
      }
    >
      {customerId === '' ? null : (
        <Text size="sm">
          Accounts of customer <ResourceLink id={customerId} name={data?.customer?.name ?? ''} />
        </Text>
      )}
      <Listing
        list={list}
        filter={mayFilter ? <CustomerFilter customerId={customerId} /> : undefined}
        empty={
          customerId === ''
            ? {
                title: 'No accounts yet',
                text: 'Open a customer and add accounts there.',
                icon: IconWallet,
              }
            : {
                title: 'No accounts for this customer',
                icon: IconWallet,
                text: 'Check the customer ID, or add accounts to the customer.',
              }
        }
      />
    </Screen>
  );
}
