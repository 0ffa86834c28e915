// Each resource that a unary call creates shows its creator.
import { expect } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { creatingCall, creatingMethods, nameOf } from '../support/creating-calls.ts';
import { messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { subjectOf } from '../support/member-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { UnaryMethod } from '../support/transports.ts';

/** Calls that create no resource with a creator, such as a factor of the caller. */
const others = [
  ...['PasskeyService.CreatePasskey', 'SigningKeyService.CreateSigningKey'],
  ...['UserService.MailPasswordLink', 'UserService.ConfirmTotp'],
  ...['UserService.CreateRecoveryCodes', 'InvitationService.JoinWorkspace'],
];

const methods = creatingMethods
  .filter((method) => method.methodKind === 'unary' && !others.includes(nameOf(method)))
  .map((method) => [nameOf(method), method] as const);

/** The creators of the resources in an answer. */
function creatorsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'creator' in value ? [value.creator] : [];
  return [...own, ...Object.values(value).flatMap(creatorsIn)];
}

describeApp('a new resource', (suite) => {
  describeOneTransport(suite, (name) => {
    itHoldsFor(methods, 18)('shows the caller as its creator', async (_, method) => {
      const { first, credential } = await creatingCall(suite, method);
      const call = suite.transport(name).call(method as UnaryMethod, first, credential);
      expect(creatorsIn(messageOf(await call))).toEqual([subjectOf(credential).sub]);
    });
  });
});
