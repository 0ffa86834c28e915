import { useQuery } from '@connectrpc/connect-query';
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { type Account, AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { type Column, Listing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { SubjectLink } from '../parts/subject-link.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';

const columns: readonly Column<Account>[] = [
  { title: 'Account id', cell: ({ id }) => <span className="mono">{id}</span> },
  { title: 'Known since', cell: ({ createTime }) => <When time={createTime} /> },
];

export function AccountsPage() {
  const { customer: customerId = '' } = useSearch({ from: '/shell/accounts' });
  const list = usePaged(
    AccountService.method.listAccounts,
    { customerId },
    (page) => page.accounts,
  );
  return (
    <Page
      title="Accounts"
      about={
        'What the tokens of customers are restricted to. An account is there as long as at least ' +
        'one customer has it.'
      }
    >
      <Filter key={customerId} customerId={customerId} />
      {customerId === '' ? null : (
        <Text size="sm">
          Those of the customer <SubjectLink id={customerId} />:
        </Text>
      )}
      <Listing
        label="Accounts"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          customerId === ''
            ? { title: 'No accounts yet', text: 'Give some to a customer, on the customer’s page.' }
            : {
                title: 'No accounts of this customer',
                text: 'Check the id, or give the customer accounts on its page.',
              }
        }
      />
    </Page>
  );
}

const optionsId = 'customers';

/** By a customer, whose id is in the page's address. */
function Filter({ customerId }: { readonly customerId: string }) {
  const navigate = useNavigate();
  const mayList = useHasScope()('customers:read');
  const options = { enabled: mayList };
  const { data } = useQuery(CustomerService.method.listCustomers, { pageSize: 200 }, options);
  const show = (customer: string) =>
    navigate({ to: '/accounts', search: customer === '' ? {} : { customer } });

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    void show(String(new FormData(event.currentTarget).get('customer') ?? '').trim());
  }

  return (
    <form onSubmit={send}>
      <Group gap="xs" align="flex-end">
        <TextInput
          name="customer"
          label="Of the customer with the id"
          placeholder="cus_…"
          defaultValue={customerId}
          list={optionsId}
          maxLength={64}
          w="20rem"
          maw="100%"
        />
        <datalist id={optionsId}>
          {data?.customers.map(({ id, name }) => (
            <option key={id} value={id} label={name} />
          ))}
        </datalist>
        <Button type="submit" variant="default">
          Show
        </Button>
        {customerId === '' ? null : (
          <Button variant="default" onClick={() => void show('')}>
            Show all
          </Button>
        )}
      </Group>
    </form>
  );
}
