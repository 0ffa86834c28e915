// The methods that accept an Idempotency-Key, and calls of them that succeed.
import { randomBytes } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { methodFactsOf } from '../../src/api/endpoint.ts';
import { actionOf, callerOf } from './action-calls.ts';
import type { Suite } from './app-suite.ts';
import { allMethods } from './method-calls.ts';

export const nameOf = ({ parent, name }: DescMethod) => `${parent.name}.${name}`;

export const creatingMethods = allMethods.filter(
  (method) => methodFactsOf(method).acceptsIdempotencyKey,
);

const prefixed = (value: unknown = '') => `other-${value}`;

/** Changes of fields, of which one makes another valid request. */
const changes: Readonly<Record<string, (value: unknown) => unknown>> = {
  ...{ name: prefixed, subject: prefixed, email: prefixed, token: prefixed },
  ...{ overlapSeconds: () => 61, endOtherSessions: () => true, alg: () => 'ES256' },
  requests: (value) => [{ ...(value as object[])[0], recipient: 'bob@example.com' }],
};

/** Other ids for a method without such a field. */
const otherIds: Readonly<Record<string, object>> = {
  'UserService.MailPasswordLink': { userId: `usr_${'0'.repeat(22)}` },
};

/** A call that succeeds. Its caller may also create customers, unless it acts on itself. */
export async function creatingCall(suite: Suite, method: DescMethod) {
  const action = await actionOf(suite, nameOf(method));
  const { request, callerId, scope = methodFactsOf(method).access.scope } = action;
  const more = callerId === undefined ? ' customers:write workspaces:write' : '';
  const { credential } = await callerOf(suite, method, {
    ...action,
    scope: `${scope}${more}`.trim(),
  });
  const field = Object.keys(changes).find((name) =>
    method.input.fields.some(({ localName }) => localName === name),
  );
  const changed =
    field === undefined ? otherIds[nameOf(method)] : { [field]: changes[field]?.(request[field]) };
  return {
    ...{ first: request, credential, callerId },
    /** A different request; undefined for a method that has only ids. */
    other: changed === undefined ? undefined : { ...request, ...changed },
  };
}

export const newKey = () => randomBytes(16).toString('hex');
