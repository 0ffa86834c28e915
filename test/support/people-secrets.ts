// A tour of the secrets of users, and of workspaces' keys, for the suite that looks for them.
import { randomBytes } from 'node:crypto';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { ApiKeyService } from '../../gen/latchkey/sharing/v1/api_key_pb.js';
import { as, memberScope } from './members.ts';
import type { DoorName, Suite } from './suite.ts';

const { createUser, setPassword, enrolTotp } = UserService.method;
const { createApiKey } = ApiKeyService.method;

export async function usePeoplesSecrets(
  suite: Suite,
  name: DoorName,
  keep: (secret: string) => string,
): Promise<void> {
  const { testApp } = suite;
  const door = suite.door(name);
  const password = () => keep(`pass ${randomBytes(12).toString('hex')}`);
  const service = await as(testApp, { type: 'service', scope: 'users:write' });
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const kind = UserKind.MEMBER;
  const made = await door.call(createUser, { email, password: password(), kind }, service);
  if (!made.ok) throw new Error('no user was made');
  const userId = made.message.user?.id ?? '';
  await door.call(createUser, { email, password: password(), kind }, service);
  await door.call(setPassword, { userId, password: password() }, service);
  const own = await as(testApp, { type: 'member', sub: userId, scope: '' });
  const begun = await door.call(enrolTotp, { userId }, own);
  const key = await door.call(
    createApiKey,
    { workspaceId: testApp.env.WORKSPACE_ID, name: 'A key', scopes: ['links:read'] },
    await as(testApp, { type: 'staff', scope: memberScope }),
  );
  if (!begun.ok || !key.ok) throw new Error('no seed or no key was made');
  keep(begun.message.secret);
  keep(key.message.apiKey);
}
