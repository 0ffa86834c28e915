// Uses every secret of users and of workspaces' API keys, for the suite that searches the logs for
// them.
import { randomBytes } from 'node:crypto';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import type { Suite } from './app-suite.ts';
import { useMailedSecrets } from './mailed-secrets.ts';
import type { TransportName } from './matrix.ts';
import { credentialFor, memberScope } from './member-rows.ts';

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
