import { expect, it } from 'vitest';
import { levelOf } from '../../../clients/client/src/interceptor.ts';
import { services } from '../../../src/api/services.ts';

it('the client sends an idempotency key with each method that creates or rotates', () => {
  const methods = Object.values(services).flatMap(({ methods }) => methods);
  const named = methods
    .filter((method) => levelOf(method).needsKey)
    .map(({ parent, name }) => `${parent.name}.${name}`);
  expect(named.sort()).toEqual([
    'ApiKeyService.CreateApiKey',
    'ApiKeyService.RotateApiKey',
    'ClientService.CreateClient',
    'ClientService.CreateClientSecret',
    'ClientService.RotateClientSecret',
    'CustomerService.CreateApiKey',
    'CustomerService.CreateCustomer',
    'CustomerService.RotateApiKey',
    'DocumentService.UploadDocument',
    'LinkService.CreateLink',
    'SigningKeyService.CreateSigningKey',
    'UserService.ConfirmTotp',
    'UserService.CreateUser',
    'UserService.EnrolTotp',
    'WorkspaceService.CreateWorkspace',
  ]);
});

it('the client repeats no sign-in, and every method that reads', () => {
  const methods = Object.values(services).flatMap(({ methods }) => methods);
  const once = methods.filter((method) => !levelOf(method).isRepeatable);
  expect(once.map(({ name }) => name).sort()).toEqual([
    'ExchangeApiKey',
    'IssueToken',
    'RefreshSession',
    'SignIn',
  ]);
});
