// The commands for sign-in with identity providers.
import type { Command } from '../base/command.ts';
import { groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';
import { etagField, userArgument } from './common-fields.ts';

const provider = { provider_id: 'The id of the identity provider.' };

const changeable: Readonly<Record<string, FieldOption>> = {
  client_secret: {
    isSecret: true,
    about: 'Asks for the client secret, or reads it from the standard input.',
  },
  allowed_domains: {
    name: 'domain',
    value: 'domain',
    isList: true,
    about: 'A domain whose verified email addresses link or create users.',
  },
  role_mappings: {
    value: 'file',
    isJsonFile: true,
    about: 'The file with the mappings of groups, as a JSON list.',
  },
  enabled: { isNegatable: true, about: 'Whether users can sign in with it.' },
  create_users: { isNegatable: true, about: 'Whether the first sign-in creates a user.' },
  groups_claim: { value: 'claim', about: 'The claim that lists the groups. Default: `groups`.' },
  email_verified_claim: {
    value: 'claim',
    about: 'The claim that the address is verified. Default: `email_verified`.',
  },
  additional_scopes: {
    name: 'request-scope',
    value: 'scope',
    isList: true,
    about: 'A scope to request in addition to `openid`, `email` and `profile`.',
  },
};

const clientId: FieldOption = {
  name: 'client-id',
  value: 'id',
  about: 'The id with which the provider has registered this service.',
};

const mappingDetails =
  'Each mapping in the file of `--role-mappings` has a group with its scopes, or with a ' +
  'workspace and a role, such as `{"group": "sales", "workspace_id": "ws_…", "role": "member"}`.';

const providers = groupOf('identity-providers', 'Manages sign-in with identity providers.', [
  {
    name: 'list',
    about: 'Lists the identity providers.',
    method: 'identityProvider.listIdentityProviders',
    columns: ['id', 'name', 'issuer', 'allowed_domains', 'enabled', 'create_time'],
  },
  {
    name: 'get',
    about: 'Shows an identity provider, and the URIs to register there.',
    method: 'identityProvider.getIdentityProvider',
    args: provider,
  },
  {
    name: 'create',
    about: 'Creates an identity provider.',
    details: mappingDetails,
    method: 'identityProvider.createIdentityProvider',
    isCreating: true,
    args: { name: 'The name on the sign-in page.', issuer: 'The issuer identifier, an https URL.' },
    fields: { client_id: clientId, ...changeable },
    examples: [
      'identity-providers create Acme https://login.example.com --client-id latchkey ' +
        '--client-secret --domain example.com --create-users < secret.txt',
    ],
  },
  {
    name: 'update',
    about: 'Changes an identity provider.',
    details: mappingDetails,
    method: 'identityProvider.updateIdentityProvider',
    args: provider,
    fields: {
      name: { value: 'name', about: 'The name on the sign-in page.' },
      client_id: clientId,
      ...changeable,
      ...etagField,
    },
    examples: [
      'identity-providers update idp_… --no-enabled',
      'identity-providers update idp_… --role-mappings mappings.json',
    ],
  },
  {
    name: 'delete',
    about: 'Deletes an identity provider, its sessions and the grants of its groups.',
    method: 'identityProvider.deleteIdentityProvider',
    args: provider,
  },
  {
    name: 'options',
    about: 'Shows how users can sign in.',
    method: 'session.getSignInOptions',
    fields: {
      domain: { value: 'domain', about: 'Only the providers of this email domain.' },
    },
    isPublic: true,
  },
]);

/** The commands below `users`. */
export const userIdentities = groupOf(
  'identities',
  'Manages the accounts at identity providers that are linked to a user.',
  [
    {
      name: 'list',
      about: 'Lists the linked accounts of a user.',
      method: 'identityProvider.listUserIdentities',
      args: userArgument,
    },
    {
      name: 'delete',
      about: 'Unlinks an account from a user, and ends its sessions.',
      method: 'identityProvider.deleteUserIdentity',
      args: { ...userArgument, identity_id: 'The id of the link.' },
    },
  ],
);

export const providerCommands: readonly Command[] = [providers];
