import { useQuery } from '@connectrpc/connect-query';
import { Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Account, AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { FilterForm } from '../shared/filter-form.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { Screen } from '../shared/screen.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';

const columns: readonly Column<Account>[] = [
  { title: 'Account ID', cell: ({ id }) => <span className="mono">{id}</span> },
  { title: 'Created', cell: ({ createTime }) => <DateTime time={createTime} /> },
];

export function AccountsScreen() {
  const { customer: customerId = '' } = useSearch({ from: '/shell/accounts' });
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
      <Filter customerId={customerId} />
      {customerId === '' ? null : (
        <Text size="sm">
          Accounts of customer <ResourceLink id={customerId} />
        </Text>
      )}
      <Listing
        label="Accounts"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          customerId === ''
            ? { title: 'No accounts yet', text: 'Open a customer and add accounts there.' }
            : {
                title: 'No accounts for this customer',
                text: 'Check the customer ID, or add accounts to the customer.',
              }
        }
      />
    </Screen>
  );
}

const optionsId = 'customers';

/** Filters by a customer, whose ID is in the URL. */
function Filter({ customerId }: { readonly customerId: string }) {
  const navigate = useNavigate();
  const mayList = useHasScope()('customers:read');
  const options = { enabled: mayList };
  const { data } = useQuery(CustomerService.method.listCustomers, { pageSize: 200 }, options);
  return (
    <FilterForm
      values={{ customer: customerId }}
      filter={({ customer = '' }) => {
        const id = String(customer).trim();
        void navigate({ to: '/accounts', search: id === '' ? {} : { customer: id } });
      }}
    >
      <TextInput
        name="customer"
        label="Customer ID"
        placeholder="cus_…"
        list={optionsId}
        maxLength={64}
      />
      <datalist id={optionsId}>
        {data?.customers.map(({ id, name }) => (
          <option key={id} value={id} label={name} />
        ))}
      </datalist>
    </FilterForm>
  );
}
