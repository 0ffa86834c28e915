import { Button } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { type Column, isEmptyList, Listing } from '../shared/listing.tsx';
import { NameDialog } from '../shared/name-dialog.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useCreateDialog } from '../shared/use-create-dialog.ts';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';

const columns: readonly Column<Customer>[] = [
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
  {
    title: 'State',
    isPlain: true,
    cell: ({ disableTime }) => <EnabledBadge disableTime={disableTime} />,
  },
  {
    title: 'Created',
    orderBy: 'create_time',
    isNewestFirst: true,
    cell: ({ createTime }) => <DateTime time={createTime} />,
  },
];

export function CustomersScreen() {
  const mayWrite = useHasScope()('customers:write');
  const [isOpen, { open, close }] = useCreateDialog();
  const create = useMethod(CustomerService.method.createCustomer);
  const navigate = useNavigate();
  const list = usePagedList(CustomerService.method.listCustomers, {}, (page) => page.customers);
  const button = mayWrite ? <Button onClick={open}>Create customer</Button> : undefined;
  return (
    <Screen
      title="Customers"
      about="Each customer has API keys for access tokens that are limited to its own accounts."
      actions={isEmptyList(list) ? undefined : button}
    >
      <Listing
        label="Customers"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={{
          title: 'No customers yet',
          text: mayWrite
            ? 'Create one, then add accounts and an API key.'
            : 'You don’t have permission to create customers.',
          icon: IconBuilding,
          action: button,
        }}
      />
      <NameDialog
        title="Create customer"
        label="Create"
        isOpen={isOpen}
        close={close}
        submit={async (name) => {
          const { customer } = await create({ name });
          const customerId = customer?.id ?? '';
          await navigate({ to: '/customers/$customerId', params: { customerId } });
        }}
      />
    </Screen>
  );
}
