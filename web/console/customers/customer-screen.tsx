import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { type Customer, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { AuditLinks } from '../shared/audit-links.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { historyFacts } from '../shared/creation.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { Facts } from '../shared/facts.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { UsageSection } from '../usage/usage-section.tsx';
import { CustomerAccounts } from './customer-accounts.tsx';
import { CustomerActions } from './customer-actions.tsx';
import { CustomerAudiences } from './customer-audiences.tsx';
import { CustomerKeys } from './customer-keys.tsx';

export function CustomerScreen() {
  const { customerId } = useParams({ from: '/shell/customers/$customerId' });
  const mayWrite = useHasScope()('customers:write');
  const query = useQuery(CustomerService.method.getCustomer, { customerId });
  const customer = query.data?.customer;
  const mayChange = mayWrite && customer !== undefined;
  return (
    <Screen
      title={customer?.name}
      actions={mayChange ? <CustomerActions customer={customer} /> : undefined}
    >
      <QueryResult value={customer} query={query} label="customer">
        {(found) => (
          <>
            <CustomerFacts {...found} />
            <AuditLinks id={found.id} />
            <UsageSection id={found.id} />
            <CustomerAccounts customer={found} mayChange={mayWrite} />
            <CustomerAudiences
              customer={found}
              mayChange={mayWrite && found.deleteTime === undefined}
            />
          </>
        )}
      </QueryResult>
      {mayChange ? <CustomerKeys customerId={customerId} /> : null}
    </Screen>
  );
}

CustomerScreen.reads = [CustomerService.method.getCustomer];

function CustomerFacts(customer: Customer) {
  const { id, disableTime } = customer;
  return (
    <Facts
      facts={[
        { name: 'Customer ID', value: <CopyableText text={id} label="customer ID" /> },
        {
          name: 'State',
          value: <EnabledBadge disableTime={disableTime} deleteTime={customer.deleteTime} isFull />,
        },
        ...historyFacts(customer),
      ]}
    />
  );
}
