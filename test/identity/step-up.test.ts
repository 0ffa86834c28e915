// Actions that require a recent sign-in (RFC 9470), from the sign-in to the action.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SigningKeyService } from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addUser } from '../support/user-rows.ts';

const { revokeSigningKey } = SigningKeyService.method;

const password = 'correct horse battery staple';
const challenge = 'Bearer error="insufficient_user_authentication", max_age=300';

describeApp('an action that requires a recent sign-in', (suite) => {
  const start = Math.ceil(Date.now() / 1000) * 1000;
  const at = (seconds: number) => {
    suite.clock.frozen = start + seconds * 1000;
  };
  beforeEach(async () => {
    at(0);
    await suite.app.inside.db.deleteFrom('throttle_counters').execute();
  });
  afterEach(() => {
    suite.clock.frozen = undefined;
  });

  describeOneTransport(suite, (name) => {
    /** The outcome of the action. The key does not exist: an accepted caller gets `not_found`. */
    async function act(accessToken: string) {
      let header: string | undefined;
      const answer = await suite.transport(name).call(
        revokeSigningKey,
        { kid: 'none' },
        {
          authorization: `Bearer ${accessToken}`,
          onHeaders(headers) {
            header = headers.get('www-authenticate') ?? header;
          },
        },
      );
      return { code: answer.ok ? 'ok' : answer.error.code, challenge: header };
    }
    const accepted = { code: 'not_found', challenge: undefined };

    async function user(scopes: string) {
      const { email } = await addUser(suite.app.inside.db, { scopes, password });
      const browser = new CookieClient(suite.transport(name));
      return {
        signIn: async () => (await browser.signedIn({ email, password })).accessToken,
        async refresh() {
          const answer = await browser.refresh();
          if (!answer.ok) throw new Error(`refused: ${answer.error.code}`);
          return answer.message.accessToken;
        },
      };
    }

    it('is accepted for 300 seconds after it, with every token of the session', async () => {
      const ada = await user('signing_keys:write');
      expect(await act(await ada.signIn())).toEqual(accepted);

      at(300);
      expect(await act(await ada.refresh())).toEqual(accepted);
    });

    it('is rejected from then on; a refresh does not count', async () => {
      const ada = await user('signing_keys:write');
      await ada.signIn();
      at(301);
      const stale = await ada.refresh();
      expect(await act(stale)).toEqual({ code: 'step_up_required', challenge });
      expect(await act(await ada.refresh())).toEqual({ code: 'step_up_required', challenge });

      const fresh = await ada.signIn();

      expect(await act(fresh)).toEqual(accepted);
      // The new sign-in has ended the old session.
      expect(await act(stale)).toMatchObject({ code: 'unauthenticated' });
    });
  });
});
