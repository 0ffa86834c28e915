// The commands for customers, their API keys and accounts.
import type { Command } from '../base/command.ts';
import { groupOf } from './call-command.ts';
import {
  audienceField,
  credentialColumns,
  etagField,
  expireField,
  externalIdField,
  externalIdFilter,
  nameField,
  overlapField,
  scopesField,
  showDeletedField,
} from './common-fields.ts';

const customer = { customer_id: 'The id of the customer.' };

const customerKeys = groupOf('keys', 'Manages the API keys of a customer.', [
  {
    name: 'list',
    about: 'Lists the API keys of a customer.',
    method: 'customer.listApiKeys',
    args: customer,
    columns: credentialColumns,
  },
  {
    name: 'create',
    about: 'Creates an API key and prints it once.',
    method: 'customer.createApiKey',
    isCreating: true,
    args: { ...customer, name: 'The display name.' },
    fields: { scopes: scopesField, expire_time: expireField },
    examples: ['customers keys create cus_… production --scope accounts:read'],
  },
  {
    name: 'rotate',
    about: 'Creates a key with the scopes of an old key, which expires after an overlap.',
    method: 'customer.rotateApiKey',
    isCreating: true,
    args: { ...customer, key_id: 'The id of the old key.' },
    fields: { overlap_seconds: overlapField },
  },
  {
    name: 'revoke',
    about: 'Revokes a key.',
    method: 'customer.revokeApiKey',
    args: { ...customer, key_id: 'The id of the key.' },
  },
]);

const customers = groupOf('customers', 'Manages customers, their accounts and API keys.', [
  {
    name: 'list',
    about: 'Lists the customers.',
    method: 'customer.listCustomers',
    fields: { ...externalIdFilter, ...showDeletedField },
    columns: ['id', 'name', 'account_ids', 'create_time', 'disable_time', 'delete_time'],
  },
  { name: 'get', about: 'Shows a customer.', method: 'customer.getCustomer', args: customer },
  {
    name: 'create',
    about: 'Creates a customer.',
    method: 'customer.createCustomer',
    isCreating: true,
    args: { name: 'The display name.' },
    fields: { audience_ids: audienceField, ...externalIdField },
    examples: ['customers create "Example Ltd"'],
  },
  {
    name: 'update',
    about: 'Changes a customer.',
    method: 'customer.updateCustomer',
    args: customer,
    fields: {
      name: nameField,
      audience_ids: audienceField,
      ...externalIdField,
      ...etagField,
    },
  },
  {
    name: 'disable',
    about: 'Disables a customer: its keys and tokens are rejected.',
    method: 'customer.disableCustomer',
    args: customer,
  },
  {
    name: 'enable',
    about: 'Enables a customer.',
    method: 'customer.enableCustomer',
    args: customer,
  },
  {
    name: 'delete',
    about: 'Deletes a customer: its keys and tokens are rejected. It can be undone for 7 days.',
    method: 'customer.deleteCustomer',
    args: customer,
    undo: 'customers undelete',
  },
  {
    name: 'undelete',
    about: 'Restores a deleted customer.',
    method: 'customer.undeleteCustomer',
    args: customer,
  },
  {
    name: 'set-accounts',
    about: 'Replaces the list of the accounts of a customer.',
    method: 'customer.putAccounts',
    args: customer,
    fields: {
      account_ids: { name: 'account', value: 'id', isList: true, about: 'The id of an account.' },
      ...etagField,
    },
    examples: ['customers set-accounts cus_… --account acc_1 --account acc_2'],
  },
  customerKeys,
]);

const accounts = groupOf('accounts', 'Shows accounts.', [
  {
    name: 'list',
    about: 'Lists the accounts.',
    method: 'account.listAccounts',
    fields: { customer_id: { value: 'id', about: 'Only accounts of this customer.' } },
    columns: ['id', 'create_time'],
  },
  {
    name: 'get',
    about: 'Shows an account.',
    method: 'account.getAccount',
    args: { account_id: 'The id of the account.' },
  },
]);

export const customerCommands: readonly Command[] = [customers, accounts];
