// The names of resources: each has a visible character, and none that disguises it. The methods
// come from the descriptors, so that a new method is covered without a new case.
import type { DescMessage, DescMethod } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { actionOf, callAction, callerOf } from './support/action-calls.ts';
import { describeAppOnSqlite, type Suite } from './support/app-suite.ts';
import { addInvitation } from './support/invitation-rows.ts';
import { describeOneTransport, type TransportName } from './support/matrix.ts';
import { allMethods } from './support/method-calls.ts';
import { itHoldsFor } from './support/rule.ts';

type Fields = Readonly<Record<string, unknown>>;

const isBatch = ({ fields }: DescMessage) => fields.some(({ name }) => name === 'requests');

const hasName = ({ fields }: DescMessage): boolean =>
  fields.some(({ name, fieldKind, message }) =>
    name === 'requests' && message !== undefined
      ? hasName(message)
      : name === 'name' && fieldKind === 'scalar',
  );

const methods = allMethods
  .filter(({ input }) => hasName(input))
  .map((method): [string, DescMethod] => [`${method.parent.name}.${method.name}`, method]);

/** Methods whose `name` is a host name, which has a pattern. */
const ofHosts = ['DomainService.CreateDomain'];

/** Each character: test/unit/net/printable.test.ts. */
const invisible = [' ', '\u200b', '\u3164\u2800'];
const disguised = ['W\u0007', 'W\r\nX', 'W\u202efdp.exe'];

/** Returns a function that calls the method with a name, and otherwise so that it succeeds. */
async function withNames(suite: Suite, transport: TransportName, method: DescMethod) {
  const name = `${method.parent.name}.${method.name}`;
  const { request, credential } = await preparedCall(suite, name, method);
  return async (text: string) => {
    const named = { ...request, ...nameIn(method.input, request, text) };
    return (await callAction(suite, transport, method, named, credential)).answer;
  };
}

async function preparedCall(suite: Suite, name: string, method: DescMethod) {
  if (name === 'InvitationService.AcceptInvitation') {
    const { token } = await addInvitation(suite.testApp);
    return { request: { token, password: 'a long enough password' }, credential: {} };
  }
  const action = await actionOf(suite, name);
  const { credential } = await callerOf(suite, method, action);
  return { request: action.request, credential };
}

function nameIn(input: DescMessage, request: Fields, name: string): Fields {
  if (!isBatch(input)) return { name };
  const [first] = request.requests as readonly Fields[];
  return { requests: [{ ...first, name }] };
}

describeAppOnSqlite('a name', (suite) => {
  describeOneTransport(suite, (transport) => {
    itHoldsFor(methods, 32)(
      'has a visible character, and none that disguises it',
      async (name, method) => {
        const call = await withNames(suite, transport, method);
        const field = isBatch(method.input) ? 'requests[0].name' : 'name';
        for (const [names, rule] of [
          [invisible, 'must contain a visible character'],
          [disguised, 'must not contain control characters'],
        ] as const) {
          const expected = ofHosts.includes(name) ? `${field}: must be` : `${field}: ${rule}`;
          for (const text of names) {
            const { ok, error } = await call(text);
            expect([ok, error?.code], JSON.stringify(text)).toEqual([false, 'invalid_argument']);
            expect(error?.message, JSON.stringify(text)).toContain(expected);
          }
        }
        const good = ofHosts.includes(name)
          ? 'new.example.org'
          : `Wörter “and” emoji 🔑 ${method.name}`;
        expect(await call(good)).toMatchObject({ ok: true });
      },
    );
  });
});
