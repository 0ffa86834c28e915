// Management calls on users, workspaces and API keys of workspaces, for `managementActions`.
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { MemberRole } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import type { Place } from './app-suite.ts';
import { startDeviceSignIn } from './device-sign-ins.ts';
import { addInvitation } from './invitation-rows.ts';
import type { ManagementAction } from './management-actions.ts';
import { addMember, credentialFor, memberScope } from './member-rows.ts';
import { addWorkspace } from './owner-rows.ts';
import { addPasskeyRow, newPasskey } from './passkeys.ts';
import { addIdentity, addProvider, newProvider, removeProviders } from './provider-rows.ts';
import { makePng } from './sharing-api.ts';
import { addSession, addTotp, addUser, codeAt, fromBase32 } from './user-rows.ts';

type Prepare = (suite: Place) => Promise<ManagementAction>;

const password = 'a long enough password';
let users = 0;

export const actionsOnUsers: Readonly<Record<string, Prepare>> = {
  async 'IdentityProviderService.CreateIdentityProvider'({ app }) {
    await removeProviders(app.inside.db);
    const target: ManagementAction['target'] = ({ provider }) => provider?.id;
    return { request: newProvider(), target, scope: managementScopes.join(' ') };
  },

  async 'IdentityProviderService.UpdateIdentityProvider'({ app }) {
    const providerId = await addProvider(app.inside.db);
    return { request: { providerId, name: 'Renamed' }, target: providerId };
  },

  async 'IdentityProviderService.DeleteIdentityProvider'({ app }) {
    const providerId = await addProvider(app.inside.db);
    return { request: { providerId }, target: providerId };
  },

  async 'IdentityProviderService.DeleteUserIdentity'({ app }) {
    const { id: userId } = await addUser(app.inside.db);
    const identityId = await addIdentity(app.inside.db, userId);
    return { request: { userId, identityId }, target: identityId };
  },

  async 'PasskeyService.CreatePasskey'(suite) {
    const { callerId: sub = '' } = await bySelf()(suite);
    const own = await credentialFor(suite.testApp, { type: 'staff', scope: '', sub });
    const started = await newPasskey(suite.transport('grpc'), suite.app.publicUrl, own);
    const request = { ...started.request, userId: sub };
    const target: ManagementAction['target'] = ({ passkey }) => passkey?.id;
    const token = own.authorization.slice('Bearer '.length);
    return { request, target, callerType: 'staff', callerId: sub, token };
  },

  async 'PasskeyService.UpdatePasskey'(suite) {
    const action = await bySelf()(suite);
    const userId = action.callerId ?? '';
    const passkeyId = await addPasskeyRow(suite.app.inside.db, userId);
    return { ...action, request: { userId, passkeyId, name: 'Renamed' }, target: passkeyId };
  },

  async 'PasskeyService.DeletePasskey'({ app }) {
    const { id: userId } = await addUser(app.inside.db);
    const passkeyId = await addPasskeyRow(app.inside.db, userId);
    return { request: { userId, passkeyId }, target: passkeyId };
  },

  async 'UserService.CreateUser'() {
    const email = `made-${++users}@example.com`;
    const request = { email, password, kind: UserKind.MEMBER };
    return { request, target: ({ user }) => user?.id };
  },

  'UserService.UpdateUser': aboutUser({ name: 'Renamed' }),
  'UserService.DisableUser': aboutUser(),
  'UserService.EnableUser': aboutUser(),
  'UserService.DeleteUser': aboutUser(),
  'UserService.UndeleteUser': aboutUser(),
  'UserService.SetPassword': aboutUser({ password }),
  'UserService.MailPasswordLink': aboutUser(),
  'UserService.RemoveTotp': aboutUser(),
  'UserService.EnrolTotp': bySelf(),

  async 'UserService.CreateRecoveryCodes'(suite) {
    const action = await bySelf()(suite);
    await addTotp(suite.testApp, action.callerId ?? '');
    return action;
  },

  'SessionService.RevokeUserSessions': aboutUser(),
  async 'UserAccessService.RevokeAllAccess'(suite) {
    return {
      ...(await aboutUser()(suite)),
      reason: /^roles sign_in credentials links invitations: /,
    };
  },

  'SessionService.ApproveDeviceSignIn': aboutDeviceSignIn(/^requested from 127\.0\.0\.1$/),
  'SessionService.DenyDeviceSignIn': aboutDeviceSignIn(),

  async 'SessionService.RevokeUserSession'({ app }) {
    const { id: userId } = await addUser(app.inside.db);
    const { id: sessionId } = await addSession(app.inside.db, userId);
    return { request: { userId, sessionId }, target: sessionId };
  },

  async 'UserService.ConfirmTotp'(suite) {
    const action = await bySelf()(suite);
    const userId = action.callerId ?? '';
    const own = await credentialFor(suite.testApp, { type: 'staff', scope: '', sub: userId });
    const begun = await suite.transport('grpc').call(UserService.method.enrolTotp, { userId }, own);
    if (!begun.ok) throw new Error(begun.error.message);
    const code = codeAt(fromBase32(begun.message.secret), Date.now());
    return { ...action, request: { userId, code } };
  },

  async 'WorkspaceService.CreateWorkspace'() {
    return { request: { name: 'Ours' }, target: ({ workspace }) => workspace?.id };
  },

  async 'WorkspaceService.UpdateWorkspace'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    return { request: { workspaceId, name: 'Renamed' }, target: workspaceId };
  },

  async 'WorkspaceService.DeleteWorkspace'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    return { request: { workspaceId }, target: workspaceId };
  },

  async 'WorkspaceService.UndeleteWorkspace'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    return { request: { workspaceId }, target: workspaceId };
  },

  async 'WorkspaceService.PutWorkspaceLogo'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    return { request: { workspaceId, file: makePng(1, 1) }, target: workspaceId };
  },

  async 'WorkspaceService.DeleteWorkspaceLogo'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    return { request: { workspaceId }, target: workspaceId };
  },

  async 'WorkspaceService.PutMember'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    const { id: userId } = await addUser(suite.app.inside.db, { kind: 'member' });
    const request = { workspaceId, userId, role: MemberRole.MEMBER };
    return { request, target: userId, scope: memberScope };
  },

  async 'WorkspaceService.RemoveMember'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    const userId = await addMember(suite.app.inside.db, workspaceId, 'member');
    return { request: { workspaceId, userId }, target: userId };
  },

  async 'WorkspaceService.LeaveWorkspace'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    const userId = await addMember(suite.app.inside.db, workspaceId, 'member');
    const caller = { callerType: 'member', callerId: userId } as const;
    return { request: { workspaceId }, target: userId, ...caller };
  },

  async 'ApiKeyService.CreateApiKey'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    const request = { workspaceId, name: 'A key', scopes: ['links:read'] };
    return { request, target: ({ key }) => key?.id, callerType: 'staff', scope: memberScope };
  },

  async 'WorkspaceService.CreateInvitation'(suite) {
    const { workspaceId } = await ofWorkspace(suite);
    const email = `invited-${++users}@example.com`;
    const request = { workspaceId, email, role: MemberRole.MEMBER };
    return { request, target: ({ invitation }) => invitation?.id, scope: memberScope };
  },

  async 'WorkspaceService.RevokeInvitation'(suite) {
    const { id: invitationId, workspace_id: workspaceId } = await addInvitation(suite);
    return { request: { workspaceId, invitationId }, target: invitationId };
  },

  async 'InvitationService.JoinWorkspace'(suite) {
    const { id, email } = await addUser(suite.app.inside.db, { kind: 'member' });
    const { id: target, token } = await addInvitation(suite, email);
    return { request: { token, userId: id }, target, callerType: 'member', callerId: id };
  },

  'ApiKeyService.RotateApiKey': aboutKey,
  'ApiKeyService.RevokeApiKey': aboutKey,
};

function aboutUser(fields: Readonly<Record<string, unknown>> = {}): Prepare {
  return async ({ app }) => {
    const { id } = await addUser(app.inside.db);
    return { request: { userId: id, ...fields }, target: id };
  };
}

function bySelf(): Prepare {
  return async ({ app }) => {
    const { id } = await addUser(app.inside.db, { password });
    return { request: { userId: id }, target: id, callerType: 'staff', callerId: id };
  };
}

function aboutDeviceSignIn(reason?: RegExp): Prepare {
  return async (suite) => {
    const own = await bySelf()(suite);
    const { userCode } = await startDeviceSignIn(suite.transport('grpc'));
    return { ...own, request: { userCode }, ...(reason === undefined ? {} : { reason }) };
  };
}

async function ofWorkspace({ app }: Place) {
  const { ownerId, credentialId } = await addWorkspace(app.inside.db, '');
  return { workspaceId: ownerId, keyId: credentialId };
}

async function aboutKey(suite: Place): Promise<ManagementAction> {
  const request = await ofWorkspace(suite);
  return { request, target: request.keyId, callerType: 'staff' };
}
