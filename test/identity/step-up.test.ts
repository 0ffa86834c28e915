// A recent sign-in where one is due (RFC 9470), from the form to the action.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SigningKeyService } from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import { describeApp, describeTransports } from '../support/app-suite.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { addUser } from '../support/user-rows.ts';

const { revokeSigningKey } = SigningKeyService.method;

const password = 'correct horse battery staple';
const challenge = 'Bearer error="insufficient_user_authentication", max_age=300';

describeApp('an action that needs a recent sign-in', (suite) => {
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

  describeTransports((name) => {
    /** What the action comes to: there is no such key, which only those learn who were let in. */
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
    const letIn = { code: 'not_found', challenge: undefined };

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

    it('is open for 300 seconds after it, to every token of the session', async () => {
      const ada = await user('signing_keys:write');
      expect(await act(await ada.signIn())).toEqual(letIn);

      at(300);
      expect(await act(await ada.refresh())).toEqual(letIn);
    });

    it('asks for one from then on, and a refresh is none', async () => {
      const ada = await user('signing_keys:write');
      await ada.signIn();
      at(301);
      const stale = await ada.refresh();
      expect(await act(stale)).toEqual({ code: 'step_up_required', challenge });
      expect(await act(await ada.refresh())).toEqual({ code: 'step_up_required', challenge });

      const fresh = await ada.signIn();

      expect(await act(fresh)).toEqual(letIn);
      // The session that was too old has gone with the sign-in, not grown young.
      expect(await act(stale)).toMatchObject({ code: 'unauthenticated' });
    });

    it('asks for the scope first', async () => {
      const ada = await user('signing_keys:read');
      await ada.signIn();
      at(301);

      expect(await act(await ada.refresh())).toEqual({
        code: 'forbidden',
        challenge: 'Bearer error="insufficient_scope", scope="signing_keys:write"',
      });
    });
  });
});
