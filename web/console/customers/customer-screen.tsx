import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { AuditLinks } from '../shared/audit-links.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { Facts } from '../shared/facts.tsx';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useMethod } from '../shared/use-method.ts';
import { CustomerAccounts } from './customer-accounts.tsx';
import { CustomerActions } from './customer-actions.tsx';
import { CustomerKeys } from './customer-keys.tsx';

export function CustomerScreen() {
  const { customerId } = useParams({ from: '/shell/customers/$customerId' });
  const mayWrite = useHasScope()('customers:write');
  const query = useQuery(CustomerService.method.getCustomer, { customerId });
  const customer = query.data?.customer;
  const update = useMethod(CustomerService.method.updateCustomer);
  const [isRenaming, setRenaming] = useState(false);
  const mayChange = mayWrite && customer !== undefined;
  return (
    <Screen
      title={customer?.name ?? 'Customer'}
      parent={<TextLink to="/customers">Customers</TextLink>}
      actions={
        mayChange ? (
          <CustomerActions customer={customer} rename={() => setRenaming(true)} />
        ) : undefined
      }
    >
      <QueryResult value={customer} query={query} label="customer">
        {(found) => (
          <>
            <CustomerFacts {...found} />
            <AuditLinks id={found.id} />
            <CustomerAccounts customer={found} mayChange={mayWrite} />
          </>
        )}
      </QueryResult>
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
    </Screen>
  );
}

function CustomerFacts({ id, createTime, disableTime }: Customer) {
  return (
    <Facts
      facts={[
        { name: 'Customer ID', value: <CopyableText text={id} label="customer ID" /> },
        { name: 'State', value: <EnabledBadge disableTime={disableTime} isFull /> },
        { name: 'Created', value: <DateTime time={createTime} precision="minute" /> },
      ]}
    />
  );
}
