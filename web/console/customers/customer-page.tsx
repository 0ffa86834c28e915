import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { Able } from '../parts/able.tsx';
import { useAct } from '../parts/act.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Facts } from '../parts/facts.tsx';
import { TextLink } from '../parts/link.tsx';
import { NameDialog } from '../parts/name-dialog.tsx';
import { One } from '../parts/one.tsx';
import { Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
import { AccountsOf } from './accounts-of.tsx';
import { CustomerActions } from './customer-actions.tsx';
import { CustomerKeys } from './customer-keys.tsx';

export function CustomerPage() {
  const { customerId } = useParams({ from: '/shell/customers/$customerId' });
  const mayWrite = useHasScope()('customers:write');
  const query = useQuery(CustomerService.method.getCustomer, { customerId });
  const customer = query.data?.customer;
  const [isRenaming, setRenaming] = useState(false);
  const mayChange = mayWrite && customer !== undefined;
  return (
    <Page
      title={customer?.name ?? 'Customer'}
      parent={<TextLink to="/customers">Customers</TextLink>}
      actions={
        mayChange ? (
          <CustomerActions customer={customer} rename={() => setRenaming(true)} />
        ) : undefined
      }
    >
      <One value={customer} query={query} label="customer">
        {(found) => (
          <>
            <Known {...found} />
            <AccountsOf customer={found} mayChange={mayWrite} />
          </>
        )}
      </One>
      {mayChange ? (
        <>
          <CustomerKeys customerId={customerId} />
          <Rename
            key={customer.name}
            customer={customer}
            isOpen={isRenaming}
            close={() => setRenaming(false)}
          />
        </>
      ) : null}
    </Page>
  );
}

function Known({ id, createTime, disableTime }: Customer) {
  return (
    <Facts
      facts={[
        { name: 'Customer id', value: <Copyable text={id} label="customer id" /> },
        { name: 'State', value: <Able disableTime={disableTime} isFull /> },
        { name: 'Created', value: <When time={createTime} /> },
      ]}
    />
  );
}

type RenameProps = {
  readonly customer: Customer;
  readonly isOpen: boolean;
  readonly close: () => void;
};

function Rename({ customer: { id, name }, isOpen, close }: RenameProps) {
  const update = useAct(CustomerService.method.updateCustomer);
  return (
    <NameDialog
      title="Rename the customer"
      label="Rename"
      name={name}
      isOpen={isOpen}
      close={close}
      submit={(newName) =>
        update({ customerId: id, name: newName, updateMask: { paths: ['name'] } })
      }
    />
  );
}
