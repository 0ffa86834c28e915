// Every method that accepts an Idempotency-Key, as its descriptor says, on each transport.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { http as httpRule } from '../../gen/google/api/annotations_pb.js';
import type { Suite } from '../support/app-suite.ts';
import { describeApp } from '../support/app-suite.ts';
import { creatingCall, creatingMethods, nameOf, newKey } from '../support/creating-calls.ts';
import { openStreamTransports } from '../support/document-streams.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { describeTransports, type TransportName } from '../support/matrix.ts';
import { allMethods } from '../support/method-calls.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { Credential, UnaryMethod } from '../support/transports.ts';
import { transportNames } from '../support/transports.ts';

const isPost = (method: DescMethod) => getOption(method, httpRule).pattern.case === 'post';

describe('an Idempotency-Key', () => {
  it('is accepted by each POST that requires a caller and is not idempotent by itself', () => {
    expect(creatingMethods.every(isPost)).toBe(true);
    const others = allMethods.filter((one) => isPost(one) && !creatingMethods.includes(one));
    expect(others.map(nameOf)).toEqual([
      'IssuanceService.IssueToken',
      'IssuanceService.ExchangeApiKey',
      'VerificationService.VerifyToken',
      'VerificationService.RevokeToken',
      'OAuthService.Introspect',
      'OAuthService.Revoke',
      'ClientService.DisableClient',
      'ClientService.EnableClient',
      'ClientService.UndeleteClient',
      'CustomerService.DisableCustomer',
      'CustomerService.EnableCustomer',
      'CustomerService.UndeleteCustomer',
      'SessionService.SignIn',
      'SessionService.StartPasskeySignIn',
      'SessionService.SignInWithPasskey',
      'SessionService.StartDeviceSignIn',
      'SessionService.SignInWithDeviceCode',
      'SessionService.FindDeviceSignIn',
      'SessionService.ApproveDeviceSignIn',
      'SessionService.DenyDeviceSignIn',
      'SessionService.RefreshSession',
      'PasskeyService.StartPasskeyRegistration',
      'PasswordResetService.RequestPasswordReset',
      'PasswordResetService.ResetPassword',
      'InstallationService.ConfirmMasterKeyCopy',
      'SigningKeyService.ActivateSigningKey',
      'SigningKeyService.RevokeSigningKey',
      'UserService.DisableUser',
      'UserService.EnableUser',
      'UserService.UndeleteUser',
      'UserService.EnrolTotp',
      'UserAccessService.RevokeAllAccess',
      'DocumentService.RestoreVersion',
      'LinkService.BatchUpdateLinks',
      'LinkService.BatchRevokeLinks',
      'InsightService.MarkNoticesRead',
      'WorkspaceService.UndeleteWorkspace',
      'WorkspaceService.LeaveWorkspace',
      'InvitationService.ReadInvitation',
      'InvitationService.AcceptInvitation',
      'DomainService.VerifyDomain',
      'DomainService.ApproveDomain',
    ]);
  });
});

/** Methods whose only required field is a name. */
const needsOnlyName = ['CustomerService.CreateCustomer', 'WorkspaceService.CreateWorkspace'];
/** Methods of users whose requests have only the id of the user. */
const onlyOwnId = ['UserService.CreateRecoveryCodes'];
/** Methods of users for themselves. */
const ownFactors = ['UserService.CreateRecoveryCodes', 'UserService.ConfirmTotp'];

const unaryMethods = creatingMethods.filter(({ methodKind }) => methodKind === 'unary');

async function countEvents({ app }: Suite, method: DescMethod): Promise<number> {
  const events = app.inside.db.selectFrom('audit_events').select('id');
  const done = events.where('action', '=', nameOf(method)).where('code', '=', 'ok');
  return (await done.execute()).length;
}

/** Another transport, which must give the same answer. */
const nextOf = (name: TransportName) =>
  transportNames[(transportNames.indexOf(name) + 1) % transportNames.length] ?? name;

/** Calls with a credential, and returns the answer and whether it was replayed. */
async function send(
  suite: Suite,
  transport: TransportName,
  method: DescMethod,
  request: Readonly<Record<string, unknown>>,
  credential: Credential,
) {
  let replayed: string | null = null;
  const onHeaders = (headers: Headers) => {
    replayed = headers.get('idempotency-replayed');
  };
  // The list has only unary methods.
  const unary = method as UnaryMethod;
  const all = { ...credential, onHeaders };
  const answer = await suite.transport(transport).call(unary, request, all);
  return { answer, replayed: replayed as string | null };
}

describeApp('a repeated call', (suite) => {
  describeTransports(suite, (transport) => {
    itHoldsFor(
      unaryMethods.map((method) => [nameOf(method), method] as const),
      16,
    )('gets the same answer and changes nothing, for every method', async (_, method) => {
      const { first, other, callerId, credential: own } = await creatingCall(suite, method);
      const credential = { ...own, idempotencyKey: newKey() };
      const before = await countEvents(suite, method);

      const made = await send(suite, transport, method, first, credential);
      const again = await send(suite, nextOf(transport), method, first, credential);

      const answer = messageOf(made.answer);
      expect([made.replayed, again.replayed]).toEqual([null, 'true']);
      expect(messageOf(again.answer)).toEqual(answer);
      expect(await countEvents(suite, method)).toBe(before + 1);
      if (other === undefined) {
        expect(onlyOwnId).toContain(nameOf(method));
      } else {
        const reused = await send(suite, transport, method, other, credential);
        expect(codeOf(reused.answer)).toBe('idempotency_key_reused');
      }
      const allowed = callerId === undefined ? needsOnlyName : ownFactors;
      const different = unaryMethods.find((one) => one !== method && allowed.includes(nameOf(one)));
      if (different === undefined) throw new Error('there is no other method');
      const fields =
        callerId === undefined ? { name: 'Ledger' } : { userId: callerId, code: '000000' };
      const elsewhere = await send(suite, transport, different, fields, credential);
      expect(codeOf(elsewhere.answer)).toBe('idempotency_key_reused');
      expect(await countEvents(suite, method)).toBe(before + 1);
    });

    it('of UploadDocument gets the same answer, and its bytes are not kept', async () => {
      const streams = openStreamTransports(suite.app);
      const stream = streams.find((one) => one.name === transport);
      const { API_KEY } = suite.testApp.env;
      const credential = { authorization: `Bearer ${API_KEY}`, idempotencyKey: newKey() };
      const blobs = suite.app.inside.db.selectFrom('documents').select('blob_id');
      const pieces = [{ name: 'Terms' }, { file: Buffer.from('The '), fileName: 'a.txt' }];
      const rest = { file: Buffer.from('terms.') };
      const before = (await blobs.execute()).length;

      const made = await stream?.upload([...pieces, rest], credential);
      const again = await stream?.upload([...pieces, rest], credential);
      const other = await stream?.upload([...pieces, { file: Buffer.from('rules.') }], credential);

      for (const one of streams) one.close();
      expect(made).toMatchObject({ ok: true, message: { name: 'Terms', sizeBytes: 10 } });
      expect(again).toEqual(made);
      expect(other).toMatchObject({ ok: false, error: { code: 'idempotency_key_reused' } });
      expect(await blobs.execute()).toHaveLength(before + 1);
    });
  });
});
