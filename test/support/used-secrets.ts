// Uses every secret of a session, a user and an API key, for the suites that search for them.
import { randomBytes } from 'node:crypto';
import { PasswordResetService } from '../../gen/latchkey/identity/v1/password_reset_pb.js';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { InvitationService } from '../../gen/latchkey/sharing/v1/invitation_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { Suite } from './app-suite.ts';
import { CookieClient } from './cookie-client.ts';
import { tokenOfMail } from './mailed-links.ts';
import { managerCredential, messageOf } from './manager-calls.ts';
import type { TransportName } from './matrix.ts';
import { addMember, credentialFor, memberScope } from './member-rows.ts';
import { addTotp, addUser } from './user-rows.ts';

/** Signs in with correct and wrong credentials, and signs out; returns the error codes. */
export async function useSessionSecrets(
  suite: Suite,
  transport: TransportName,
  keep: (secret: string) => string,
): Promise<string[]> {
  const { signOut, listSessions } = SessionService.method;
  const random = () => keep(randomBytes(8).toString('hex'));
  const password = keep(`correct horse ${random()}`);
  const { id, email } = await addUser(suite.app.inside.db, { password });
  const code = await addTotp(suite.testApp, id);
  const browser = new CookieClient(suite.transport(transport));
  const wrong = [
    await browser.signIn({ email, password: random() }),
    await browser.signIn({ email, password, otp: random() }),
  ];
  const { accessToken } = await browser.signedIn({ email, password, otp: code(Date.now()) });
  const refreshed = await browser.refresh();
  if (!refreshed.ok) throw new Error(`the refresh failed: ${refreshed.error.code}`);
  for (const token of [accessToken, refreshed.message.accessToken]) keep(token);
  for (const cookie of ['latchkey_session', 'latchkey_device']) {
    const value = keep(browser.cookie(cookie) ?? '');
    keep(value.slice(value.lastIndexOf('.') + 1));
  }
  await browser.call(signOut, {});
  const ended = await browser.call(listSessions, {}, { authorization: `Bearer ${accessToken}` });
  return [...wrong, ended].flatMap((answer) => (answer.ok ? [] : [answer.error.code]));
}

const { createUser, setPassword, enrolTotp } = UserService.method;
const { createApiKey } = ApiKeyService.method;

export async function useUserSecrets(
  suite: Suite,
  name: TransportName,
  keep: (secret: string) => string,
): Promise<void> {
  const { testApp } = suite;
  const transport = suite.transport(name);
  const password = () => keep(`pass ${randomBytes(12).toString('hex')}`);
  const service = await credentialFor(testApp, { type: 'service', scope: 'users:write' });
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const kind = UserKind.MEMBER;
  const made = await transport.call(createUser, { email, password: password(), kind }, service);
  if (!made.ok) throw new Error('the user was not created');
  const userId = made.message.user?.id ?? '';
  await transport.call(createUser, { email, password: password(), kind }, service);
  await transport.call(setPassword, { userId, password: password() }, service);
  const own = await credentialFor(testApp, { type: 'member', sub: userId, scope: '' });
  const wrong = { userId, password: password(), currentPassword: password() };
  await transport.call(setPassword, wrong, own);
  const begun = await transport.call(enrolTotp, { userId }, own);
  const workspaceId = testApp.env.WORKSPACE_ID;
  const request = { workspaceId, name: 'A key', scopes: ['links:read'] };
  const staff = await credentialFor(testApp, { type: 'staff', scope: memberScope });
  // The recorded answer has the API key.
  const keyed = { ...staff, idempotencyKey: keep(randomBytes(16).toString('hex')) };
  const key = await transport.call(createApiKey, request, keyed);
  if (!begun.ok || !key.ok) throw new Error('the seed or the API key was not created');
  keep(begun.message.secret);
  keep(key.message.apiKey);
  await useMailedSecrets(suite, name, keep);
}

const { requestPasswordReset, resetPassword } = PasswordResetService.method;
const { readInvitation, acceptInvitation } = InvitationService.method;

type Keep = (secret: string) => string;

async function useMailedSecrets(suite: Suite, name: TransportName, keep: Keep): Promise<void> {
  const { testApp } = suite;
  const { call } = suite.transport(name);
  const newPassword = () => keep(`pass ${randomBytes(12).toString('hex')}`);
  /** The part after the id is secret alone. */
  const keepToken = (token: string) => {
    keep(token.slice(token.lastIndexOf('.') + 1));
    return keep(token);
  };

  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const member = { type: 'member', scope: memberScope } as const;
  const workspaceId = testApp.env.WORKSPACE_ID;
  const sub = await addMember(suite.app.inside.db, workspaceId, 'owner');
  const own = await credentialFor(testApp, { ...member, sub });
  const invitation = { workspaceId, email, role: MemberRole.MEMBER };
  messageOf(await call(WorkspaceService.method.createInvitation, invitation, own));
  const invited = keepToken(await tokenOfMail(testApp, email, { page: 'invitation' }));
  const accepted = { token: invited, name: 'Grace', password: newPassword() };
  await call(readInvitation, { token: `${invited}x` });
  messageOf(await call(readInvitation, { token: invited }));
  messageOf(await call(acceptInvitation, accepted));
  await call(acceptInvitation, accepted);

  messageOf(await call(requestPasswordReset, { email }));
  const token = keepToken(await tokenOfMail(testApp, email, { page: 'reset-password' }));
  messageOf(await call(resetPassword, { token, password: newPassword() }));
  await call(resetPassword, { token, password: newPassword() });

  const { id: userId, email: to } = await addUser(suite.app.inside.db, { kind: 'member' });
  const manager = await managerCredential(suite.app, 'users:write');
  messageOf(await call(UserService.method.mailPasswordLink, { userId }, manager));
  const chosen = keepToken(await tokenOfMail(testApp, to, { page: 'reset-password' }));
  messageOf(await call(resetPassword, { token: chosen, password: newPassword() }));
  await useRecoveryCodes(suite, name, keep);
}

async function useRecoveryCodes(suite: Suite, name: TransportName, keep: Keep): Promise<void> {
  const transport = suite.transport(name);
  const password = keep(`pass ${randomBytes(12).toString('hex')}`);
  const { id: userId, email } = await addUser(suite.app.inside.db, { kind: 'member', password });
  await addTotp(suite.testApp, userId);
  const own = await credentialFor(suite.testApp, { type: 'member', sub: userId, scope: '' });
  const { createRecoveryCodes } = UserService.method;
  // The recorded answer has the codes.
  const keyed = { ...own, idempotencyKey: keep(randomBytes(16).toString('hex')) };
  const { codes } = messageOf(await transport.call(createRecoveryCodes, { userId }, keyed));
  for (const code of codes) {
    keep(code);
    keep(code.replaceAll('-', ''));
  }
  const browser = new CookieClient(transport);
  for (const one of [codes[0] ?? '', codes[0] ?? '', `${codes[1]}0`]) {
    await browser.signIn({ email, password, otp: one });
  }
}
