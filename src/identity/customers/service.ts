import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type CustomerService,
  UpdateCustomerRequestSchema,
} from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import {
  disableFields,
  disabling,
  disablingDeletionOf,
  enablingUndeletionOf,
  neverDisabled,
  requireNotDeleted,
  storeStateChange,
} from '../../api/deletion.ts';
import {
  createdColumns,
  externalIdChange,
  requireEtag,
  resourceFields,
  touched,
} from '../../api/etag.ts';
import { printableName, requiredName } from '../../api/fields.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { nameCreator, nameCreators } from '../../audit/names/creators.ts';
import { newId } from '../../base/crypto/ids.ts';
import { requireFound } from '../../base/errors/errors.ts';
import {
  type CredentialOwner,
  type Credentials,
  generateCredentialFor,
} from '../../credentials/credentials.ts';
import { parseAudienceIds, storedAudienceIds } from '../../credentials/token-settings.ts';
import { refuseExternalId } from '../../storage/duplicates.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { CredentialRow, Executor } from '../../storage/schema/schema.ts';
import type { LockAudiences } from '../audiences/store.ts';
import {
  type CustomerChange,
  type CustomerWithAccounts,
  customerList,
  deleteAccounts,
  findCustomer,
  findCustomers,
  insertAccounts,
  insertCustomer,
  lockAccounts,
  lockCustomer,
  updateCustomer,
} from './store.ts';
import { readAccountIds, readKeyScopes } from './token-limits.ts';

export type CustomerOptions = ManagementOptions & {
  readonly credentials: Credentials;
  readonly lockAudiences: LockAudiences;
  /** How many backups stay in the target of backups; 0 without a target. */
  readonly keptBackups: number;
};

export function createCustomerService(
  options: CustomerOptions,
): ServiceImpl<typeof CustomerService> {
  const { db, auditLog, credentials, lockAudiences, keptBackups, random, now } = options;

  async function apply(
    context: HandlerContext,
    id: string,
    changeOf: (row: CustomerWithAccounts, time: number) => CustomerChange,
    lock = locked,
  ) {
    const row = await auditLog.change(context, { target: id }, async (trx) => {
      const before = await lock(trx, id);
      const step = { before, changeOf, time: now() };
      return storeStateChange(context, step, (changed) => updateCustomer(trx, id, changed));
    });
    return { customer: customerMessage(row) };
  }

  const keyMessage = (row: CredentialRow) => ({
    customerId: row.customer_id ?? '',
    scopes: [...parseStoredScopes(row.scopes)],
    ...credentials.describe(row),
  });

  return {
    async createCustomer(request, context) {
      const id = newId('cus', random);
      const row = {
        ...{ id, name: printableName(request.name), ...neverDisabled },
        ...createdColumns(request, now()),
        audience_ids: storedAudienceIds(request.audienceIds),
        creator_id: principalId(principalOf(context)),
      };
      return auditLog.create(context, { target: row.id }, async (trx) => {
        await lockAudiences(trx, row.audience_ids);
        await insertCustomer(trx, row).catch(refuseExternalId);
        return { customer: customerMessage({ ...row, accountIds: [] }) };
      });
    },

    async getCustomer({ customerId }, context) {
      const row = requireFound(await findCustomer(db, customerId), 'customer');
      return { customer: await nameCreator(db, context, customerMessage(row)) };
    },

    async listCustomers(request, { signal }) {
      const query = parseListRequest(request, customerList.sorts, signal);
      const { rows, ...page } = await findCustomers(db, query, request);
      return { customers: rows.map(customerMessage), ...page };
    },

    async updateCustomer(request, context) {
      const { change } = readUpdate(UpdateCustomerRequestSchema, request, updateFields);
      const { customerId } = request;
      const row = await auditLog.change(context, { target: customerId }, async (trx) => {
        const before = await lockLive(trx, customerId);
        requireEtag(context, request, before);
        await lockAudiences(trx, change.audience_ids);
        const changed = { ...change, ...touched(before, change, now()) };
        await updateCustomer(trx, customerId, changed).catch(refuseExternalId);
        return { ...before, ...changed };
      });
      return { customer: customerMessage(row) };
    },

    disableCustomer: ({ customerId }, context) =>
      apply(context, customerId, disabling(true), lockLive),
    enableCustomer: ({ customerId }, context) =>
      apply(context, customerId, disabling(false), lockLive),
    deleteCustomer: async ({ customerId }, context) => ({
      ...(await apply(context, customerId, disablingDeletionOf)),
      keptBackups,
    }),
    undeleteCustomer: ({ customerId }, context) => apply(context, customerId, enablingUndeletionOf),

    async putAccounts(request, context) {
      const { customerId } = request;
      const wanted = readAccountIds(request.accountIds);
      const row = await auditLog.change(context, { target: customerId }, async (trx) => {
        const before = await lockLive(trx, customerId);
        requireEtag(context, request, before);
        const had = new Set(before.accountIds);
        const removed = before.accountIds.filter((id) => !wanted.has(id));
        const added = [...wanted].filter((id) => !had.has(id));
        const touched = [...added, ...removed];
        if (touched.length === 0) return before;
        const time = now();
        // Locks all accounts first. If they were locked one by one, two transactions could
        // deadlock.
        await lockAccounts(trx, touched, time);
        await deleteAccounts(trx, customerId, removed);
        await insertAccounts(trx, customerId, added, time);
        await updateCustomer(trx, customerId, { update_time: time });
        return { ...before, update_time: time, accountIds: [...wanted].sort() };
      });
      return { customer: customerMessage(row) };
    },

    async createApiKey({ customerId, name, scopes, expireTime }, context) {
      const fields = { name, scopes: readKeyScopes(scopes), expireTime };
      const made = generateCredentialFor(context, 'ck', random);
      return auditLog.create(context, { target: made.id }, async (trx) => {
        await lockLive(trx, customerId);
        const row = await credentials.create(trx, ownerOf(customerId), made, fields);
        return { key: keyMessage(row), apiKey: made.text };
      });
    },

    async listApiKeys(request, context) {
      const { rows, ...page } = await credentials.list(
        ownerOf(request.customerId),
        request,
        context.signal,
      );
      return { keys: await nameCreators(db, context, rows.map(keyMessage)), ...page };
    },

    async rotateApiKey({ customerId, keyId, overlapSeconds }, context) {
      const made = generateCredentialFor(context, 'ck', random);
      return auditLog.create(context, { target: keyId }, async (trx) => {
        await lockLive(trx, customerId);
        const owner = ownerOf(customerId);
        const row = await credentials.rotate(trx, owner, keyId, made, overlapSeconds);
        return { key: keyMessage(row), apiKey: made.text };
      });
    },

    async revokeApiKey({ customerId, keyId }, context) {
      await auditLog.change(context, { target: keyId }, (trx) =>
        credentials.revoke(trx, ownerOf(customerId), keyId),
      );
      return {};
    },
  };
}

const ownerOf = (id: string): CredentialOwner => ({ kind: 'ck', id });

const locked = async (trx: Executor, id: string): Promise<CustomerWithAccounts> =>
  requireFound(await lockCustomer(trx, id), 'customer');

/** Throws `conflict` if the customer is deleted. */
async function lockLive(trx: Executor, id: string): Promise<CustomerWithAccounts> {
  const row = await locked(trx, id);
  requireNotDeleted(row, 'customer');
  return row;
}

const updateFields: UpdateFields<typeof UpdateCustomerRequestSchema, CustomerChange> = {
  name: ({ name }) => ({ name: requiredName(name) }),
  audience_ids: ({ audienceIds }) => ({ audience_ids: storedAudienceIds(audienceIds) }),
  external_id: externalIdChange,
};

function customerMessage(row: CustomerWithAccounts) {
  return {
    id: row.id,
    name: row.name,
    accountIds: [...row.accountIds],
    audienceIds: [...parseAudienceIds(row.audience_ids)],
    ...resourceFields(row),
    creator: row.creator_id ?? '',
    ...disableFields(row),
  };
}
