import { useQuery } from '@connectrpc/connect-query';
import { Text } from '@mantine/core';
import { IconWallet } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { createdColumn } from '../shared/creation.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { usePagedList } from '../shared/lists/use-paged-list.ts';
import { ResourceLink } from '../shared/resource-link.tsx';
import { Screen } from '../shared/screen.tsx';
import { SearchSelect } from '../shared/search-select.tsx';
import { shortId } from '../shared/short-id.ts';

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

type CustomerFilterProps = {
  /** Empty for all accounts. */
  readonly customerId: string;
};

/** For users who may list customers. */
function CustomerFilter({ customerId }: CustomerFilterProps) {
  const navigate = useNavigate();
  const { listCustomers, getCustomer } = CustomerService.method;
  const list = usePagedList(listCustomers, {}, ({ customers }) => customers, { name: null });
  const { data } = useQuery(getCustomer, { customerId }, { enabled: customerId !== '' });
  return (
    <SearchSelect
      aria-label="Customer"
      placeholder="All customers"
      clearable
      clearButtonProps={{
        'aria-label': 'Show the accounts of all customers',
        'aria-hidden': false,
        tabIndex: 0,
        size: 'md',
      }}
      w={{ base: '100%', xs: 320 }}
      list={list}
      chosen={customerId === '' ? undefined : data?.customer}
      choose={(customer) =>
        void navigate({
          to: '/accounts',
          search: customer === undefined ? {} : { customer: customer.id },
        })
      }
      idOf={({ id }) => id}
      labelOf={({ id, name }) => `${name} · ${shortId(id)}`}
    />
  );
}
