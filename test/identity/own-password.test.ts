// Users change their own password with the current one.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor } from '../support/member-rows.ts';
import { addUser } from '../support/user-rows.ts';

const { setPassword } = UserService.method;

const current = 'correct horse battery staple';
const next = 'another long password';

describeApp('a user who changes the own password', (suite) => {
  const db = () => suite.app.inside.db;
  beforeEach(async () => {
    await db().deleteFrom('throttle_counters').execute();
  });
  afterEach(() => {
    suite.clock.frozen = undefined;
  });

  describeOneTransport(suite, (name) => {
    async function start() {
      const { id: userId, email } = await addUser(db(), { kind: 'member', password: current });
      const own = await credentialFor(suite.testApp, { type: 'member', scope: '', sub: userId });
      const change = (currentPassword: string, password = next, credential = own) =>
        suite.transport(name).call(setPassword, { userId, password, currentPassword }, credential);
      const signIn = (password: string) =>
        new CookieClient(suite.transport(name)).signIn({ email, password });
      return { userId, change, signIn };
    }
    const wrong = {
      ok: false,
      error: { code: 'identity.credential_invalid', fields: ['current_password'] },
    };

    it('is refused without the current one, or with a wrong one', async () => {
      const { change, signIn } = await start();
      expect(await change('')).toMatchObject({
        ok: false,
        error: { code: 'invalid_argument', fields: ['current_password'] },
      });
      expect(await change('not the password')).toMatchObject(wrong);
      expect(await signIn(current)).toMatchObject({ ok: true });
      expect(await signIn(next)).toMatchObject({ ok: false });
    });

    it('can repeat a change whose answer was lost', async () => {
      const { change, signIn } = await start();
      expect(await change(current)).toMatchObject({ ok: true });
      expect(await change(current)).toMatchObject({ ok: true });
      expect(await signIn(next)).toMatchObject({ ok: true });
      expect(await change(current, 'a third long password')).toMatchObject(wrong);
    });

    it('waits after several wrong ones, and the sign-in does not', async () => {
      const { change, signIn } = await start();
      suite.clock.frozen = Date.now();
      for (let i = 0; i < 5; i++) expect(await change(`guess ${i}`)).toMatchObject(wrong);
      // The waits double from one second.
      const limited = { ok: false, error: { code: 'rate_limited' } };
      expect(await change(current)).toMatchObject(limited);
      expect(await signIn(current)).toMatchObject({ ok: true });
      suite.clock.frozen += 1_000;
      expect(await change(current)).toMatchObject({ ok: true });
      const third = 'a third long password';
      for (let i = 0; i < 5; i++) expect(await change(`guess ${i}`, third)).toMatchObject(wrong);
    });

    it('is not delayed by new passwords that are refused', async () => {
      const { change } = await start();
      suite.clock.frozen = Date.now();
      for (let i = 0; i < 8; i++) {
        expect(await change(current, 'short')).toMatchObject({
          ok: false,
          error: { code: 'invalid_argument', fields: ['password'] },
        });
      }
      expect(await change(current)).toMatchObject({ ok: true });
    });

    it('is recorded with a wrong password', async () => {
      const { userId, change } = await start();
      await change('not the password');
      const events = () =>
        db()
          .selectFrom('audit_events')
          .select(['action', 'code', 'actor_id'])
          .where('target', '=', userId)
          .execute();
      const code = 'identity.credential_invalid';
      await expect
        .poll(events, { timeout: 10_000 })
        .toEqual([{ action: 'UserService.SetPassword', code, actor_id: userId }]);
    });
  });
});
