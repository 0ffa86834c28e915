// The commands for audiences, trusted issuers and signing keys.
import type { Command } from '../base/command.ts';
import { groupOf } from './call-command.ts';
import { etagField, externalIdField, externalIdFilter, nameField } from './common-fields.ts';

const algorithms = ['EdDSA', 'ES256', 'RS256'];

const kid = { kid: 'The id of the signing key.' };

const keys = groupOf('keys', 'Manages the signing keys.', [
  {
    name: 'list',
    about: 'Lists the signing keys.',
    method: 'signingKey.listSigningKeys',
    columns: ['kid', 'alg', 'state', 'create_time', 'ready_time', 'activate_time', 'retire_time'],
  },
  {
    name: 'create',
    about: 'Creates and publishes a key, which does not sign yet.',
    method: 'signingKey.createSigningKey',
    isCreating: true,
    fields: {
      alg: { value: 'algorithm', values: algorithms, about: 'The algorithm. Default: EdDSA.' },
    },
  },
  {
    name: 'activate',
    about: 'Activates a key and retires the active key of its algorithm.',
    method: 'signingKey.activateSigningKey',
    args: kid,
    fields: { force: { about: 'Activates the key before all verifiers can know it.' } },
  },
  {
    name: 'revoke',
    about: 'Revokes a leaked key: all of its tokens become invalid.',
    method: 'signingKey.revokeSigningKey',
    args: kid,
    question: 'Every token of this key becomes invalid. Revoke it?',
  },
]);

const signingAlgField = {
  value: 'algorithm',
  values: algorithms,
  about: 'The algorithm that signs the tokens. Default: EdDSA.',
};

const audience = { audience_id: 'The id of the audience.' };

const audiences = groupOf('audiences', 'Manages the services that tokens are for.', [
  {
    name: 'list',
    about: 'Lists the audiences.',
    method: 'audience.listAudiences',
    fields: externalIdFilter,
    columns: ['id', 'identifier', 'name', 'signing_alg', 'create_time'],
  },
  { name: 'get', about: 'Shows an audience.', method: 'audience.getAudience', args: audience },
  {
    name: 'create',
    about: 'Creates an audience.',
    method: 'audience.createAudience',
    isCreating: true,
    args: {
      identifier: 'The `aud` of the tokens: an absolute URI.',
      name: 'The display name.',
    },
    fields: { signing_alg: signingAlgField, ...externalIdField },
    examples: [
      'audiences create https://payments.example.com Payments',
      'audiences create https://ledger.example.com Ledger --signing-alg RS256',
    ],
  },
  {
    name: 'update',
    about: 'Changes an audience.',
    method: 'audience.updateAudience',
    args: audience,
    fields: {
      name: nameField,
      signing_alg: signingAlgField,
      ...externalIdField,
      ...etagField,
    },
  },
  {
    name: 'delete',
    about: 'Deletes an audience that no client and no customer has.',
    method: 'audience.deleteAudience',
    args: audience,
    question: 'Every token for the audience becomes invalid. Delete it?',
  },
]);

const issuer = { issuer_id: 'The id of the trusted issuer.' };

const issuerFields = {
  jwks_uri: { value: 'url', about: 'The URL of the keys. Default: found by discovery.' },
  jwks: { value: 'file', isJsonFile: true, about: 'The file with the pinned keys, a JWK set.' },
  audience: { value: 'text', about: 'The `aud` of its tokens. Default: the public URL.' },
  enabled: { isNegatable: true, about: 'Accepts the tokens of the issuer.' },
} as const;

const issuers = groupOf('issuers', 'Manages the issuers whose tokens authenticate clients.', [
  {
    name: 'list',
    about: 'Lists the trusted issuers.',
    method: 'trustedIssuer.listTrustedIssuers',
    fields: externalIdFilter,
    columns: [
      'id',
      'name',
      'issuer',
      'enabled',
      { path: 'refresh_time', title: 'Keys read' },
      'refresh_error',
    ],
  },
  {
    name: 'get',
    about: 'Shows a trusted issuer and its current keys.',
    method: 'trustedIssuer.getTrustedIssuer',
    args: issuer,
  },
  {
    name: 'create',
    about: 'Trusts an issuer: its tokens authenticate clients with a federated identity.',
    method: 'trustedIssuer.createTrustedIssuer',
    isCreating: true,
    args: { issuer: 'The `iss` of its tokens.' },
    fields: { name: nameField, ...issuerFields, ...externalIdField },
    examples: [
      'issuers create https://token.actions.githubusercontent.com --name GitHub',
      'issuers create https://kubernetes.default.svc.cluster.local --jwks jwks.json',
    ],
  },
  {
    name: 'update',
    about: 'Changes a trusted issuer.',
    method: 'trustedIssuer.updateTrustedIssuer',
    args: issuer,
    fields: { name: nameField, ...issuerFields, ...externalIdField, ...etagField },
    examples: ['issuers update iss_… --no-enabled'],
  },
  {
    name: 'delete',
    about: 'Deletes a trusted issuer of which no client has a federated identity.',
    method: 'trustedIssuer.deleteTrustedIssuer',
    args: issuer,
    question: 'Its tokens authenticate no client any more. Delete it?',
  },
]);

export const keyCommands: readonly Command[] = [audiences, issuers, keys];
