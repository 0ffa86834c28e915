// The effect of changes to a user on that user's sessions.
import { beforeEach, expect, it } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { describeApp } from '../support/app-suite.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor } from '../support/member-rows.ts';
import { addUser } from '../support/user-rows.ts';

const { listUsers, updateUser, disableUser, enableUser } = UserService.method;
const { signIn } = SessionService.method;

const scope = 'users:read links:read';
const first = 'the first password';

describeApp('a user who is signed in', (suite) => {
  let staff: { authorization: string };
  beforeEach(async () => {
    staff = await credentialFor(suite.testApp, {
      type: 'staff',
      scope: managementScopes.join(' '),
    });
  });

  describeOneTransport(suite, (name) => {
    const call: ReturnType<typeof suite.transport>['call'] = (method, request, credential) =>
      suite.transport(name).call(method, request, credential);
    async function signedIn() {
      const { db } = suite.app.inside;
      const { id, email } = await addUser(db, { scopes: scope, password: first });
      const enter = (password: string, otp = '') => call(signIn, { email, password, otp }, {});
      const answer = await enter(first);
      if (!answer.ok) throw new Error(answer.error.message);
      const own = { authorization: `Bearer ${answer.message.accessToken}` };
      return { userId: id, own, enter, use: () => call(listUsers, {}, own) };
    }
    const refused = { ok: false, error: { code: 'unauthenticated' } };
    const wrong = { ok: false, error: { code: 'identity.credential_invalid' } };

    it('loses the session when disabled, and signs in again once enabled', async () => {
      const { userId, enter, use } = await signedIn();
      expect(await use()).toMatchObject({ ok: true });
      expect(await call(disableUser, { userId }, staff)).toMatchObject({ ok: true });
      expect(await use()).toMatchObject(refused);
      expect(await enter(first)).toMatchObject(wrong);
      expect(await call(enableUser, { userId }, staff)).toMatchObject({ ok: true });
      expect(await use()).toMatchObject(refused);
      expect(await enter(first)).toMatchObject({ ok: true });
    });

    it('loses a removed scope immediately', async () => {
      const { userId, use } = await signedIn();
      expect(await use()).toMatchObject({ ok: true });
      const narrowed = await call(updateUser, { userId, scopes: ['links:read'] }, staff);
      expect(narrowed).toMatchObject({ ok: true });
      expect(await use()).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    });
  });
});
