// Management calls on clients and customers, for `managementActions`.
import { randomUUID } from 'node:crypto';
import type { Place } from './app-suite.ts';
import { addClientKey, makePublicJwk } from './client-keys.ts';
import { addIdentity, addIssuer } from './federation.ts';
import type { ManagementAction } from './management-actions.ts';
import { addAudience, addClient, addCustomer } from './owner-rows.ts';

export const actionsOnOwners: Readonly<
  Record<string, (suite: Place) => Promise<ManagementAction>>
> = {
  async 'AudienceService.CreateAudience'() {
    const request = { identifier: `urn:uuid:${randomUUID()}`, name: 'New' };
    return { request, target: ({ audience }) => audience?.id };
  },

  async 'AudienceService.UpdateAudience'(suite) {
    const audienceId = await addAudience(suite.app.inside.db);
    return { request: { audienceId, name: 'Renamed' }, target: audienceId };
  },

  async 'AudienceService.DeleteAudience'(suite) {
    const audienceId = await addAudience(suite.app.inside.db);
    return { request: { audienceId }, target: audienceId };
  },

  async 'TrustedIssuerService.CreateTrustedIssuer'() {
    const request = { issuer: `urn:uuid:${randomUUID()}`, jwks: { keys: [makePublicJwk()] } };
    return { request, target: ({ trusted_issuer }) => trusted_issuer?.id };
  },

  async 'TrustedIssuerService.UpdateTrustedIssuer'(suite) {
    const issuerId = await addIssuer(suite.app.inside.db);
    return { request: { issuerId, enabled: false }, target: issuerId };
  },

  async 'TrustedIssuerService.DeleteTrustedIssuer'(suite) {
    const issuerId = await addIssuer(suite.app.inside.db);
    return { request: { issuerId }, target: issuerId };
  },

  async 'ClientService.CreateFederatedIdentity'(suite) {
    const { clientId } = await ofClient(suite);
    const issuerId = await addIssuer(suite.app.inside.db);
    const request = { clientId, issuerId, subject: 'repo:octo-org/octo-repo' };
    return { request, target: ({ federated_identity }) => federated_identity?.id };
  },

  async 'ClientService.DeleteFederatedIdentity'(suite) {
    const { db } = suite.app.inside;
    const { clientId } = await ofClient(suite);
    const identityId = await addIdentity(db, clientId, await addIssuer(db), 'spiffe://a');
    return { request: { clientId, identityId }, target: identityId };
  },

  async 'ClientService.CreateClient'() {
    const request = { name: 'Ledger', scopes: ['payments:read'] };
    return { request, target: ({ client }) => client?.id };
  },

  async 'ClientService.UpdateClient'(suite) {
    const { clientId } = await ofClient(suite);
    return { request: { clientId, scopes: ['payments:write'] }, target: clientId };
  },

  'ClientService.DisableClient': aboutClient,
  'ClientService.EnableClient': aboutClient,
  'ClientService.DeleteClient': aboutClient,
  'ClientService.UndeleteClient': aboutClient,
  'ClientService.RotateClientSecret': aboutClient,

  async 'ClientService.CreateClientSecret'(suite) {
    const { clientId } = await ofClient(suite);
    return { request: { clientId }, target: ({ secret }) => secret?.id };
  },

  async 'ClientService.RevokeClientSecret'(suite) {
    const ids = await ofClient(suite);
    return { request: ids, target: ids.secretId };
  },

  async 'ClientService.CreateClientKey'(suite) {
    const { clientId } = await ofClient(suite);
    return { request: { clientId, jwk: makePublicJwk() }, target: ({ key }) => key?.id };
  },

  async 'ClientService.RevokeClientKey'(suite) {
    const { clientId } = await ofClient(suite);
    const keyId = await addClientKey(suite.app.inside.db, clientId, makePublicJwk());
    return { request: { clientId, keyId }, target: keyId };
  },

  async 'CustomerService.CreateCustomer'() {
    return { request: { name: 'Acme' }, target: ({ customer }) => customer?.id };
  },

  async 'CustomerService.UpdateCustomer'(suite) {
    const { customerId } = await ofCustomer(suite);
    return { request: { customerId, name: 'Apex' }, target: customerId };
  },

  'CustomerService.DisableCustomer': aboutCustomer,
  'CustomerService.EnableCustomer': aboutCustomer,
  'CustomerService.DeleteCustomer': aboutCustomer,
  'CustomerService.UndeleteCustomer': aboutCustomer,

  async 'CustomerService.PutAccounts'(suite) {
    const { customerId } = await ofCustomer(suite);
    return { request: { customerId, accountIds: ['acc_9'] }, target: customerId };
  },

  async 'CustomerService.CreateApiKey'(suite) {
    const { customerId } = await ofCustomer(suite);
    const request = { customerId, scopes: ['payments:read'] };
    return { request, target: ({ key }) => key?.id };
  },

  async 'CustomerService.RotateApiKey'(suite) {
    const ids = await ofCustomer(suite);
    return { request: ids, target: ids.keyId };
  },

  async 'CustomerService.RevokeApiKey'(suite) {
    const ids = await ofCustomer(suite);
    return { request: ids, target: ids.keyId };
  },
};

async function ofClient({ app }: Place) {
  const { ownerId, credentialId } = await addClient(app.inside.db, 'payments:read');
  return { clientId: ownerId, secretId: credentialId };
}

async function aboutClient(suite: Place): Promise<ManagementAction> {
  const { clientId } = await ofClient(suite);
  return { request: { clientId }, target: clientId };
}

async function ofCustomer({ app }: Place) {
  const { ownerId, credentialId } = await addCustomer(app.inside.db, 'payments:read');
  return { customerId: ownerId, keyId: credentialId };
}

async function aboutCustomer(suite: Place): Promise<ManagementAction> {
  const { customerId } = await ofCustomer(suite);
  return { request: { customerId }, target: customerId };
}
