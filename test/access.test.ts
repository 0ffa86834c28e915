// Who may call each method. The cases come from the descriptors, so a new method is covered without
// a new case. Each method is called through each transport, and on both databases. The details of
// its rule are tested through one transport: the guard decides before a transport matters.
// Bad credentials: access-credentials.test.ts. Roles and users' own data: access-users.test.ts.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../src/base/config/config.ts';
import { describeApp, describeAppOnSqlite } from './support/app-suite.ts';
import { describeTransports } from './support/matrix.ts';
import {
  acceptedCodes,
  acceptedTypes,
  accessOf,
  bearerMethods,
  callBy,
  callerTypes,
  cookieMethods,
  forbidden,
  invalidToken,
  namedMethods,
  noCredential,
  publicMethods,
} from './support/method-access.ts';
import { allMethods, callMethod, type MethodCall, type Outcome } from './support/method-calls.ts';
import { addWorkspace } from './support/owner-rows.ts';
import { itHoldsFor, product } from './support/rule.ts';
import { addSession, addUser } from './support/user-rows.ts';

const { stepUpSeconds } = readConfig({});
const stepUpRequired = {
  code: 'step_up_required',
  challenge: `Bearer error="insufficient_user_authentication", max_age=${stepUpSeconds}`,
};

/** In seconds since 1970. */
const signedInBefore = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

function expectAccepted({ code, challenge }: Outcome, label = ''): void {
  expect(challenge, label).toBeUndefined();
  expect(acceptedCodes, label).toContain(code);
}

/** Other scopes, among them some that resemble the method's. */
function otherScopes({ scope }: { readonly scope: string }): string[] {
  const other = scope.endsWith(':read')
    ? scope.replace(/read$/, 'write')
    : scope.replace(/write$/, 'read');
  return [other, `x${scope}`, `${scope}x`, ''];
}

describe('the contract', () => {
  it('makes these methods public', () => {
    expect(publicMethods.map(({ name }) => name)).toEqual([
      'IssueToken',
      'ExchangeApiKey',
      'GetJwks',
      'Introspect',
      'Revoke',
      'GetSignInOptions',
      'SignIn',
      'StartPasskeySignIn',
      'SignInWithPasskey',
      'StartDeviceSignIn',
      'SignInWithDeviceCode',
      'RequestPasswordReset',
      'ResetPassword',
      'ReadInvitation',
      'AcceptInvitation',
    ]);
  });

  it('requires a recent sign-in to change credentials, users, roles and signing keys', () => {
    const asking = allMethods.filter((method) => accessOf(method).recentSignIn);
    expect(asking.map(({ parent, name }) => `${parent.name}.${name}`).sort()).toEqual([
      'ApiKeyService.CreateApiKey',
      'ApiKeyService.RevokeApiKey',
      'ApiKeyService.RotateApiKey',
      'AudienceService.CreateAudience',
      'AudienceService.DeleteAudience',
      'ClientService.CreateClient',
      'ClientService.CreateClientKey',
      'ClientService.CreateClientSecret',
      'ClientService.CreateFederatedIdentity',
      'ClientService.DeleteClient',
      'ClientService.DeleteFederatedIdentity',
      'ClientService.RevokeClientKey',
      'ClientService.RevokeClientSecret',
      'ClientService.RotateClientSecret',
      'CustomerService.CreateApiKey',
      'CustomerService.DeleteCustomer',
      'CustomerService.RevokeApiKey',
      'CustomerService.RotateApiKey',
      'IdentityProviderService.CreateIdentityProvider',
      'IdentityProviderService.DeleteIdentityProvider',
      'IdentityProviderService.DeleteUserIdentity',
      'IdentityProviderService.UpdateIdentityProvider',
      'PasskeyService.CreatePasskey',
      'PasskeyService.DeletePasskey',
      'PasskeyService.StartPasskeyRegistration',
      'SessionService.ApproveDeviceSignIn',
      'SessionService.RevokeUserSession',
      'SessionService.RevokeUserSessions',
      'SigningKeyService.ActivateSigningKey',
      'SigningKeyService.CreateSigningKey',
      'SigningKeyService.RevokeSigningKey',
      'TrustedIssuerService.CreateTrustedIssuer',
      'TrustedIssuerService.DeleteTrustedIssuer',
      'TrustedIssuerService.UpdateTrustedIssuer',
      'UserAccessService.RevokeAllAccess',
      'UserService.ConfirmTotp',
      'UserService.CreateRecoveryCodes',
      'UserService.CreateUser',
      'UserService.DeleteUser',
      'UserService.DisableUser',
      'UserService.EnableUser',
      'UserService.EnrolTotp',
      'UserService.ExportUser',
      'UserService.MailPasswordLink',
      'UserService.RemoveTotp',
      'UserService.SetPassword',
      'UserService.UndeleteUser',
      'WorkspaceService.CreateInvitation',
      'WorkspaceService.DeleteWorkspace',
      'WorkspaceService.PutMember',
      'WorkspaceService.RemoveMember',
      'WorkspaceService.RevokeInvitation',
    ]);
  });
});

describeApp('access to every method', (suite) => {
  describeTransports(suite, (transport) => {
    const send = (call: MethodCall) => callMethod(suite.app, transport, call);

    itHoldsFor(namedMethods(publicMethods), 8)('accepts any caller', async (_, method) => {
      for (const authorization of [undefined, 'Bearer garbage', 'nonsense']) {
        expectAccepted(await send({ method, authorization }), authorization);
      }
    });

    itHoldsFor(namedMethods(bearerMethods), 80)('requires a credential', async (_, method) => {
      const expected = { code: 'unauthenticated', challenge: noCredential };
      expect(await send({ method })).toEqual(expected);
    });

    itHoldsFor(namedMethods(bearerMethods), 80)('accepts its scope', async (_, method) => {
      const [type = 'service'] = acceptedTypes(method);
      expectAccepted(await send(await callBy(suite, type, method)));
      if (accessOf(method).scope === '') return;
      const without = await callBy(suite, type, method, { scope: 'other:read' });
      expect(await send({ ...without, fields: {} })).toEqual(forbidden(method));
    });

    itHoldsFor(namedMethods(cookieMethods), 2)('accepts the session cookie', async (_, method) => {
      const { db } = suite.app.inside;
      const { id } = await addUser(db);
      const { cookie } = await addSession(db, id);
      expectAccepted(await send({ method, cookie: `latchkey_session=${cookie}` }));
      const expected = { code: 'unauthenticated', challenge: noCredential };
      expect(await send({ method })).toEqual(expected);
    });
  });
});

describeAppOnSqlite('the rule of every method', (suite) => {
  const send = (call: MethodCall) => callMethod(suite.app, 'http', call);
  const methods = namedMethods(bearerMethods);
  const isUser = (type: string) => type === 'staff' || type === 'member';
  const byUsers = product(methods, ([, method]) => acceptedTypes(method).filter(isUser));
  const withScope = methods.filter(([, method]) => accessOf(method).scope !== '');
  const byKeys = methods.filter(([, method]) => acceptedTypes(method).includes('workspace_key'));

  itHoldsFor(product(methods, callerTypes), 400)(
    'accepts a caller type if the contract names it',
    async (_, method, type) => {
      const outcome = await send(await callBy(suite, type, method));
      if (acceptedTypes(method).includes(type)) expectAccepted(outcome);
      else if (type !== 'workspace_key') expect(outcome).toEqual(forbidden(method));
      else expect(outcome).toEqual({ code: 'unauthenticated', challenge: invalidToken });
    },
  );

  itHoldsFor(
    product(withScope, ([, method]) => acceptedTypes(method)),
    150,
  )('requires its own scope of each caller type', async (_, method, type) => {
    const access = accessOf(method);
    for (const scope of otherScopes(access)) {
      const call = await callBy(suite, type, method, { scope });
      // Not for the users themselves, who would need no scope.
      const fields = access.self ? {} : (call.fields ?? {});
      expect(await send({ ...call, fields }), scope).toEqual(forbidden(method));
    }
  });

  itHoldsFor(byUsers, 100)(
    'requires a recent sign-in of users if the contract says so',
    async (_, method, type) => {
      const stale = { authTime: signedInBefore(stepUpSeconds + 1) };
      const outcome = await send(await callBy(suite, type, method, stale));
      if (!accessOf(method).recentSignIn) {
        expectAccepted(outcome);
        return;
      }
      expect(outcome).toEqual(stepUpRequired);
      const recent = { authTime: signedInBefore(stepUpSeconds - 30) };
      expectAccepted(await send(await callBy(suite, type, method, recent)));
    },
  );

  itHoldsFor(byKeys, 15)('rejects a key that names another workspace', async (_, method) => {
    const call = await callBy(suite, 'workspace_key', method);
    const { ownerId } = await addWorkspace(suite.app.inside.db, '');
    const fields = { workspace_id: ownerId };
    expect(await send({ ...call, fields })).toEqual(forbidden(method));
  });
});
