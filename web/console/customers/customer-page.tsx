import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { Able } from '../parts/able.tsx';
import { useAct } from '../parts/act.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Facts } from '../parts/facts.tsx';
import { TextLink } from '../parts/link.tsx';
import { RenameDialog } from '../parts/name-dialog.tsx';
import { One } from '../parts/one.tsx';
import { Page } from '../parts/page.tsx';
import { Traces } from '../parts/traces.tsx';
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
  const update = useAct(CustomerService.method.updateCustomer);
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
            <Traces id={found.id} noun="customer" />
            <AccountsOf customer={found} mayChange={mayWrite} />
          </>
        )}
      </One>
      {mayChange ? (
        <>
          <CustomerKeys customerId={customerId} />
          <RenameDialog
            noun="customer"
            name={customer.name}
            isOpen={isRenaming}
            close={() => setRenaming(false)}
            submit={(name) => update({ customerId, name, updateMask: { paths: ['name'] } })}
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
