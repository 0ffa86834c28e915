/** Filters the accounts by a customer. */
import { useQuery } from '@connectrpc/connect-query';
import { useNavigate } from '@tanstack/react-router';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { usePagedList } from '../shared/lists/use-paged-list.ts';
import { SearchSelect } from '../shared/search-select.tsx';
import { shortId } from '../shared/short-id.ts';

type CustomerFilterProps = {
  /** Empty for all accounts. */
  readonly customerId: string;
};

/** For users who may list customers. */
export function CustomerFilter({ customerId }: CustomerFilterProps) {
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
