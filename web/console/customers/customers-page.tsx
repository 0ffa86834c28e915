import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { Able } from '../parts/able.tsx';
import { useAct } from '../parts/act.ts';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { NameDialog } from '../parts/name-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';

const columns: readonly Column<Customer>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <TextLink to="/customers/$customerId" params={{ customerId: id }}>
        {name}
      </TextLink>
    ),
  },
  { title: 'Customer id', cell: ({ id }) => <span className="mono">{id}</span> },
  { title: 'Accounts', cell: ({ accountIds }) => accountIds.length },
  { title: 'State', cell: ({ disableTime }) => <Able disableTime={disableTime} /> },
  { title: 'Created', cell: ({ createTime }) => <When time={createTime} /> },
];

export function CustomersPage() {
  const mayWrite = useHasScope()('customers:write');
  const [isOpen, { open, close }] = useDisclosure(false);
  const create = useAct(CustomerService.method.createCustomer);
  const navigate = useNavigate();
  const list = usePaged(CustomerService.method.listCustomers, {}, (page) => page.customers);
  return (
    <Page
      title="Customers"
      about="A customer’s API keys get tokens that are good for its own accounts, and no others."
      actions={mayWrite ? <Button onClick={open}>Create customer</Button> : undefined}
    >
      <Listing
        label="Customers"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={{
          title: 'No customers yet',
          text: mayWrite
            ? 'Create one; then give it accounts and an API key.'
            : 'Somebody who may change customers can create one.',
        }}
      />
      <NameDialog
        title="Create a customer"
        label="Create"
        isOpen={isOpen}
        close={close}
        submit={async (name) => {
          const { customer } = await create({ name });
          const customerId = customer?.id ?? '';
          await navigate({ to: '/customers/$customerId', params: { customerId } });
        }}
      />
    </Page>
  );
}
