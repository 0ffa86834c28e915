import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { AccountService } from '../../../gen/latchkey/identity/v1/account_pb.js';
import { type Principal, principalOf } from '../../api/principal.ts';
import { requireFound } from '../../base/errors/errors.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { AccountRow, Database } from '../../storage/schema/schema.ts';
import { type AccountFilter, accountList, findAccount, findAccounts } from './store.ts';

export function createAccountService(db: Database): ServiceImpl<typeof AccountService> {
  return {
    async listAccounts(request, context) {
      const query = parseListRequest(request, accountList.sorts, context.signal);
      const filter = withCustomer(visibleTo(principalOf(context)), request.customerId);
      if (filter === undefined) return {};
      const { rows, ...page } = await findAccounts(db, filter, query);
      return { accounts: rows.map(accountMessage), ...page };
    },

    async getAccount({ accountId }, context) {
      const row = await findAccount(db, visibleTo(principalOf(context)), accountId);
      return { account: accountMessage(requireFound(row, 'account')) };
    },
  };
}

/** A customer's token sees only its accounts that the customer still has. */
function visibleTo(principal: Principal): AccountFilter {
  if (principal.type !== 'customer') return {};
  return { customerId: principal.customerId, ids: principal.accounts };
}

/** Undefined if a customer's token asks for the accounts of another customer. */
function withCustomer(filter: AccountFilter, customerId: string): AccountFilter | undefined {
  if (customerId === '' || customerId === filter.customerId) return filter;
  return filter.customerId === undefined ? { ...filter, customerId } : undefined;
}

function accountMessage(row: AccountRow) {
  return { id: row.id, createTime: timestampFromMs(row.create_time) };
}
