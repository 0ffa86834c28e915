import { expect, it } from 'vitest';
import { levelOf } from '../../../clients/client/src/interceptor.ts';
import { methodFactsOf } from '../../../src/api/endpoint.ts';
import { services } from '../../../src/api/services.ts';

it('the client sends an idempotency key with each method that accepts one', () => {
  const methods = Object.values(services).flatMap(({ methods }) => methods);
  for (const method of methods) {
    const { name, acceptsIdempotencyKey } = methodFactsOf(method);
    expect([name, levelOf(method).needsKey]).toEqual([name, acceptsIdempotencyKey]);
  }
});

it('the client repeats no call that must act once and has no idempotency key', () => {
  const methods = Object.values(services).flatMap(({ methods }) => methods);
  const once = methods.filter((method) => !levelOf(method).isRepeatable);
  expect(once.map(({ name }) => name).sort()).toEqual([
    'AcceptInvitation',
    'ExchangeApiKey',
    'IssueToken',
    'RefreshSession',
    'RequestPasswordReset',
    'ResetPassword',
    'SignIn',
    'SignInWithDeviceCode',
    'SignInWithPasskey',
    'StartDeviceSignIn',
  ]);
});
