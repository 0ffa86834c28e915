// Uses recovery codes and the tokens of mailed links, for the suite that searches the logs and the
// database for them.
import { randomBytes } from 'node:crypto';
import { PasswordResetService } from '../../gen/latchkey/identity/v1/password_reset_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { InvitationService } from '../../gen/latchkey/sharing/v1/invitation_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { Suite } from './app-suite.ts';
import { CookieClient } from './cookie-client.ts';
import { tokenOfMail } from './mailed-links.ts';
import { messageOf } from './manager-calls.ts';
import type { TransportName } from './matrix.ts';
import { addMember, credentialFor, memberScope } from './member-rows.ts';
import { addTotp, addUser } from './user-rows.ts';

const { requestPasswordReset, resetPassword } = PasswordResetService.method;
const { readInvitation, acceptInvitation } = InvitationService.method;

type Keep = (secret: string) => string;

export async function useMailedSecrets(
  suite: Suite,
  name: TransportName,
  keep: Keep,
): Promise<void> {
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
