// The commands for the ways in which a client authenticates without a secret.
import { groupOf } from './call-command.ts';
import { clientArg, expireField, nameField } from './common-fields.ts';

export const clientKeys = groupOf('keys', 'Manages the public keys of a client.', [
  {
    name: 'list',
    about: 'Lists the public keys of a client.',
    method: 'client.listClientKeys',
    args: clientArg,
    columns: ['id', 'name', 'state', 'create_time', 'expire_time', 'revoke_time'],
  },
  {
    name: 'create',
    about: 'Adds a public key, with which the client signs assertions instead of sending a secret.',
    method: 'client.createClientKey',
    isCreating: true,
    args: clientArg,
    fields: {
      jwk: { value: 'file', isJsonFile: true, about: 'The file with the public key as a JWK.' },
      name: nameField,
      expire_time: expireField,
    },
    examples: ['clients keys create cli_… --jwk public.json --name ci'],
  },
  {
    name: 'revoke',
    about: 'Revokes a public key.',
    method: 'client.revokeClientKey',
    args: { ...clientArg, key_id: 'The id of the key.' },
  },
]);

export const identities = groupOf('identities', 'Manages the federated identities of a client.', [
  {
    name: 'list',
    about: 'Lists the federated identities of a client.',
    method: 'client.listFederatedIdentities',
    args: clientArg,
    columns: ['id', 'issuer_id', 'subject', 'create_time'],
  },
  {
    name: 'create',
    about: 'Lets a workload authenticate as the client with a token of a trusted issuer.',
    method: 'client.createFederatedIdentity',
    isCreating: true,
    args: {
      ...clientArg,
      issuer_id: 'The id of the trusted issuer.',
      subject: 'The `sub` of the token. A `*` stands for a part without `:` and `/`.',
    },
    fields: {
      claims: {
        value: 'json',
        about: 'The patterns of other claims, such as `{"environment":"production"}`.',
      },
    },
    examples: ['clients identities create cli_… iss_… repo:octo-org/octo-repo:ref:refs/heads/main'],
  },
  {
    name: 'delete',
    about: 'Deletes a federated identity.',
    method: 'client.deleteFederatedIdentity',
    args: { ...clientArg, identity_id: 'The id of the federated identity.' },
    question: 'The workload cannot authenticate any more. Delete it?',
  },
]);
