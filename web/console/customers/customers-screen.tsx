import { IconBuilding } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { createdColumn } from '../shared/creation.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { deletedFilter, showDeleted } from '../shared/lists/deleted-filter.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { NameDialog } from '../shared/name-dialog.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';

const customers = defineList({
  label: 'Customers',
  method: CustomerService.method.listCustomers,
  rows: (page) => page.customers,
  filters: deletedFilter,
  request: showDeleted,
  columns: [
    {
      title: 'Name',
      orderBy: 'name',
      cell: ({ id, name }) => (
        <TextLink to="/customers/$customerId" params={{ customerId: id }}>
          {name}
        </TextLink>
      ),
    },
    {
      title: 'Customer ID',
      cell: ({ id }) => <CopyableText text={id} label={`customer ID ${id}`} isShort />,
    },
    { title: 'Accounts', cell: ({ accountIds }) => accountIds.length.toLocaleString() },
    { title: 'State', isPlain: true, cell: EnabledBadge },
    createdColumn<Customer>(),
  ],
});

export function CustomersScreen() {
  return (
    <ListScreen
      list={useList(customers, {})}
      about="Each customer has API keys for access tokens that are limited to its own accounts."
      create={<CreateCustomerDialog />}
      empty={{
        title: 'No customers yet',
        text: 'Create one, then add accounts and an API key.',
        icon: IconBuilding,
      }}
      emptyText="You don’t have permission to create customers."
    />
  );
}

CustomersScreen.reads = [customers];

function CreateCustomerDialog() {
  const create = useMethod(CustomerService.method.createCustomer);
  const navigate = useNavigate();
  return (
    <NameDialog
      title="Create customer"
      label="Create"
      submit={async (name) => {
        const { customer } = await create({ name });
        const customerId = customer?.id ?? '';
        await navigate({ to: '/customers/$customerId', params: { customerId } });
      }}
    />
  );
}
