import { useQuery } from '@connectrpc/connect-query';
import { Text } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { type Account, AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { Screen } from '../shared/screen.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import { CustomerFilter } from './customer-filter.tsx';

const columns: readonly Column<Account>[] = [
  {
    title: 'Account ID',
    orderBy: 'id',
    cell: ({ id }) => <CopyableText text={id} label={`account ID ${id}`} />,
  },
  {
    title: 'Created',
    orderBy: 'create_time',
    isNewestFirst: true,
    cell: ({ createTime }) => <DateTime time={createTime} />,
  },
];

export function AccountsScreen() {
  const mayFilter = useHasScope()('customers:read');
  const { customer: customerId = '' } = useSearch({ from: '/shell/accounts' });
  const { data } = useQuery(
    CustomerService.method.getCustomer,
    { customerId },
    { enabled: mayFilter && customerId !== '' },
  );
  const list = usePagedList(
    AccountService.method.listAccounts,
    { customerId },
    (page) => page.accounts,
  );
  return (
    <Screen
      title="Accounts"
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
        label="Accounts"
        filters={mayFilter ? <CustomerFilter customerId={customerId} /> : undefined}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
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
