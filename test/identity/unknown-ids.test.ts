// No method finds a resource by an id that does not exist, or as one of another owner. The methods
// come from the descriptors, so a new method is covered without a new case. Workspaces:
// sharing/isolation.all.test.ts.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { http as httpRule } from '../../gen/google/api/annotations_pb.js';
import { actionOf, callAction, callerOf, stateOf } from '../support/action-calls.ts';
import { describeApp } from '../support/app-suite.ts';
import { managementActions } from '../support/management-actions.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { acceptedTypes, callBy, namedMethods } from '../support/method-access.ts';
import { allMethods, callMethod } from '../support/method-calls.ts';
import { itHoldsFor } from '../support/rule.ts';

const methods = namedMethods(
  allMethods.filter(({ parent }) => parent.file.proto.package.includes('identity')),
);
/** An external id is a new name of a resource. */
const isId = (field: string) => /(Id|kid)$/.test(field) && field !== 'externalId';

/**
 * Fields that name something else: the client at an identity provider, the new id of a client, the
 * issuer of a new identity, which is invalid instead (federation/management.test.ts), and a token,
 * which the service does not store.
 */
const otherFields = new Set([
  'VerificationService.RevokeToken.tokenId',
  'IdentityProviderService.CreateIdentityProvider.clientId',
  'ClientService.CreateClient.clientId',
  'ClientService.CreateFederatedIdentity.issuerId',
]);

/** The changes that name a resource, each with the field that names it. */
const changes = methods
  .filter(([name]) => name in managementActions)
  .flatMap(([name, method]) =>
    method.input.fields
      .filter(({ localName, fieldKind }) => isId(localName) && fieldKind === 'scalar')
      .filter(({ localName }) => !otherFields.has(`${name}.${localName}`))
      .map(({ localName }): [string, string, DescMethod] => [name, localName, method]),
  );

/** The reads that name a resource in their path. Users export only their own data. */
const reads = methods.filter(([, method]) => {
  if (method.methodKind !== 'unary') return false;
  const { case: verb, value } = getOption(method, httpRule).pattern;
  return verb === 'get' && /\{\w+_id\}/.test(value);
});

describeApp('an unknown id', (suite) => {
  describeOneTransport(suite, (transport) => {
    itHoldsFor(changes, 30)('is not found by a change', async (name, field, method) => {
      const action = await actionOf(suite, name);
      const { request: theirs } = await actionOf(suite, name);
      // Users act for themselves with no other id than their own.
      if (action.callerId !== undefined && action.callerId === action.request[field]) return;
      const { credential } = await callerOf(suite, method, action);
      const own = (id: string) => isId(id) && !otherFields.has(`${name}.${id}`);
      const isAlone = Object.keys(theirs).filter(own).length === 1;
      const before = await stateOf(suite);
      for (const id of isAlone ? ['none'] : ['none', theirs[field]]) {
        const request = { ...action.request, [field]: id };
        const { answer } = await callAction(suite, transport, method, request, credential);
        expect(answer, String(id)).toMatchObject({ error: { code: 'not_found' } });
      }
      expect(await stateOf(suite)).toEqual(before);
    });

    itHoldsFor(reads, 6)('is not found by a read', async (_, method) => {
      const [type = 'service'] = acceptedTypes(method);
      const call = await callBy(suite, type, method);
      expect(await callMethod(suite.app, transport, call)).toMatchObject({ code: 'not_found' });
    });
  });
});
