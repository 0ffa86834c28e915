// The commands for service clients and their credentials.
import type { Command } from '../base/command.ts';
import { groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';
import { clientKeys, identities } from './client-key-commands.ts';
import {
  audienceField,
  clientArg,
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

/** The name in the certificate of a client, which replaces a secret. */
const certificateFields: Readonly<Record<string, FieldOption>> = {
  tls_client_auth_san_uri: {
    name: 'certificate-uri',
    value: 'uri',
    about: 'The URI in the certificate that replaces a secret with mutual TLS.',
  },
  tls_client_auth_san_dns: {
    name: 'certificate-dns',
    value: 'name',
    about: 'The DNS name in that certificate, instead of a URI.',
  },
};

/** The fields of a client that shape its tokens. */
const tokenFields: Readonly<Record<string, FieldOption>> = {
  audience_ids: audienceField,
  claims: {
    value: 'json',
    about: 'Additional claims of the tokens, such as `{"tenant":"acme"}`.',
  },
  token_seconds: {
    value: 'seconds',
    about: 'The lifetime of the tokens, at most 3600. Default: that of the service.',
  },
  default_scopes: {
    name: 'default-scope',
    value: 'scope',
    isList: true,
    about: 'A scope of token requests that name none.',
  },
  may_act: {
    value: 'subject',
    isList: true,
    about:
      'The id of a client, customer or user whose tokens the client may exchange, or `service`, ' +
      '`customer`, `staff` or `member` for all of a kind.',
  },
  bound_tokens: {
    isNegatable: true,
    about: 'Binds each token to the key of a DPoP proof or to the certificate of the client.',
  },
};

/** The secret of a client at another authorization server. */
const importedFields: Readonly<Record<string, FieldOption>> = {
  'imported_secret.hash': {
    name: 'secret-hash',
    isSecret: true,
    about:
      'Asks for the hash of a secret of another server, bcrypt or PBKDF2, or reads it from the ' +
      'standard input. The client keeps the secret.',
  },
  'imported_secret.value': {
    name: 'secret-value',
    isSecret: true,
    about: 'Asks for a secret of another server, or reads it from the standard input.',
  },
};

const secrets = groupOf('secrets', 'Manages the secrets of a client.', [
  {
    name: 'list',
    about: 'Lists the secrets of a client.',
    method: 'client.listClientSecrets',
    args: clientArg,
    columns: credentialColumns,
  },
  {
    name: 'create',
    about: 'Creates another secret and prints it once.',
    method: 'client.createClientSecret',
    isCreating: true,
    args: clientArg,
    fields: { name: nameField, expire_time: expireField, ...importedFields },
    examples: ['clients secrets create cli_… --name deploy --expires 90d'],
  },
  {
    name: 'rotate',
    about: 'Creates a secret; every older secret expires after an overlap.',
    method: 'client.rotateClientSecret',
    isCreating: true,
    args: clientArg,
    fields: { name: nameField, expire_time: expireField, overlap_seconds: overlapField },
    examples: ['clients secrets rotate cli_… --overlap-seconds 3600'],
  },
  {
    name: 'revoke',
    about: 'Revokes a secret.',
    method: 'client.revokeClientSecret',
    args: { ...clientArg, secret_id: 'The id of the secret.' },
  },
]);

const clients = groupOf('clients', 'Manages service clients.', [
  {
    name: 'list',
    about: 'Lists the clients.',
    method: 'client.listClients',
    fields: { ...externalIdFilter, ...showDeletedField },
    columns: ['id', 'name', 'scopes', 'create_time', 'disable_time', 'delete_time'],
    examples: ['clients list --query billing', 'clients list --all --json | jq -r .id'],
  },
  { name: 'get', about: 'Shows a client.', method: 'client.getClient', args: clientArg },
  {
    name: 'create',
    about: 'Creates a client and prints its first secret once.',
    method: 'client.createClient',
    isCreating: true,
    args: { name: 'The display name.' },
    fields: {
      scopes: scopesField,
      ...tokenFields,
      ...certificateFields,
      ...externalIdField,
      client_id: {
        name: 'id',
        value: 'id',
        about: 'The id that the client keeps from another server. Default: a new id.',
      },
      ...importedFields,
    },
    examples: ['clients create billing --scope accounts:read --scope payments:write'],
  },
  {
    name: 'update',
    about: 'Changes a client.',
    method: 'client.updateClient',
    args: clientArg,
    fields: {
      name: nameField,
      scopes: scopesField,
      ...tokenFields,
      ...certificateFields,
      ...externalIdField,
      ...etagField,
    },
  },
  {
    name: 'disable',
    about: 'Disables a client: its secrets and tokens are rejected.',
    method: 'client.disableClient',
    args: clientArg,
  },
  { name: 'enable', about: 'Enables a client.', method: 'client.enableClient', args: clientArg },
  {
    name: 'delete',
    about: 'Deletes a client: its secrets and tokens are rejected. It can be undone for 7 days.',
    method: 'client.deleteClient',
    args: clientArg,
    undo: 'clients undelete',
  },
  {
    name: 'undelete',
    about: 'Restores a deleted client.',
    method: 'client.undeleteClient',
    args: clientArg,
  },
  secrets,
  clientKeys,
  identities,
]);

export const clientCommands: readonly Command[] = [clients];
