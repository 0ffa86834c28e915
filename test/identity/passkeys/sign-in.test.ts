// Adding passkeys, and signing in with them.
import { expect, it } from 'vitest';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { describeApp } from '../../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../../support/cookie-client.ts';
import { mailsOf } from '../../support/gate-visitor.ts';
import { messageOf } from '../../support/manager-calls.ts';
import { describeOneTransport } from '../../support/matrix.ts';
import { credentialFor } from '../../support/member-rows.ts';
import { addedPasskey, newPasskey } from '../../support/passkeys.ts';
import { addUser } from '../../support/user-rows.ts';

const { listPasskeys, startPasskeyRegistration, createPasskey, updatePasskey, deletePasskey } =
  PasskeyService.method;
const { startPasskeySignIn, signInWithPasskey, listSessions } = SessionService.method;
const { getUser, setPassword } = UserService.method;

const password = 'correct horse battery staple';

describeApp('passkeys', (suite) => {
  const db = () => suite.app.inside.db;
  forgetAttempts(suite);

  describeOneTransport(suite, (name) => {
    const transport = () => suite.transport(name);
    const origin = () => suite.app.publicUrl;

    async function person() {
      const user = await addUser(db(), { kind: 'member', password });
      const own = await credentialFor(suite.testApp, { type: 'member', scope: '', sub: user.id });
      const list = async () =>
        messageOf(await transport().call(listPasskeys, { userId: 'me' }, own)).passkeys;
      return { user, own, list };
    }
    type Added = Awaited<ReturnType<typeof addedPasskey>>;
    async function signIn(browser: CookieClient, { passkey }: Added, userId = '') {
      const started = messageOf(await browser.call(startPasskeySignIn, { userId }));
      const credential = passkey.get(started.options);
      return browser.call(signInWithPasskey, { credential });
    }

    it('sign their user in, and confirm sensitive actions', async () => {
      const { user, own, list } = await person();
      const added = await addedPasskey(transport(), origin(), own);
      const browser = new CookieClient(transport());
      const { accessToken, user: signedIn } = messageOf(await signIn(browser, added));
      expect(signedIn).toMatchObject({ id: user.id, email: user.email });
      const authorization = `Bearer ${accessToken}`;
      const { sessions } = messageOf(await browser.call(listSessions, {}, { authorization }));
      expect(sessions.find(({ current }) => current)?.amr).toEqual(['hwk', 'user', 'mfa']);
      expect(await list()).toMatchObject([{ id: added.id, name: 'Laptop', synced: false }]);
      expect((await list())[0]?.lastUsedTime).toBeDefined();
      const request = { userId: 'me', currentPassword: password, password: `${password} 2` };
      messageOf(await transport().call(setPassword, request, { authorization }));
      // The step-up replaces the session of the browser.
      messageOf(await signIn(browser, added, user.id));
      const refused = await transport().call(getUser, { userId: 'me' }, { authorization });
      expect(refused).toMatchObject({ error: { code: 'unauthenticated' } });
      const sent = async () =>
        (await mailsOf(suite.testApp)).filter(({ to }) => to === user.email).map((m) => m.subject);
      await expect.poll(sent).toContain('A passkey was added');
    });

    it('sign in with every algorithm that a registration offers', async () => {
      const { own } = await person();
      const algorithms = [-8, -7, -257] as const;
      const started = await transport().call(startPasskeyRegistration, { userId: 'me' }, own);
      const { pubKeyCredParams } = messageOf(started).options ?? {};
      expect(pubKeyCredParams).toMatchObject(algorithms.map((alg) => ({ alg })));
      const failures: string[] = [];
      for (const alg of algorithms) {
        const added = await addedPasskey(transport(), origin(), own, { alg });
        const { ok } = await signIn(new CookieClient(transport()), added);
        if (!ok) failures.push(`${alg}`);
      }
      expect(failures).toEqual([]);
    });

    it('that are synced sign in with another method', async () => {
      const { own } = await person();
      const added = await addedPasskey(transport(), origin(), own, { isSynced: true });
      const browser = new CookieClient(transport());
      const { accessToken } = messageOf(await signIn(browser, added));
      const authorization = `Bearer ${accessToken}`;
      const { sessions } = messageOf(await browser.call(listSessions, {}, { authorization }));
      expect(sessions.find(({ current }) => current)?.amr).toEqual(['swk', 'user', 'mfa']);
    });

    it('are renamed and deleted by their user only', async () => {
      const { user, own, list } = await person();
      const added = await addedPasskey(transport(), origin(), own);
      const passkeyId = added.id;
      const stranger = (await person()).own;
      const request = { userId: 'me', passkeyId, name: 'Phone' };
      for (const [method, fields] of [
        [updatePasskey, request],
        [deletePasskey, { userId: 'me', passkeyId }],
      ] as const) {
        const refused = await transport().call(method, fields, stranger);
        expect(refused).toMatchObject({ error: { code: 'not_found' } });
        const other = await transport().call(method, { ...fields, userId: user.id }, stranger);
        expect(other).toMatchObject({ error: { code: 'forbidden' } });
      }
      messageOf(await transport().call(updatePasskey, request, own));
      expect(await list()).toMatchObject([{ name: 'Phone' }]);
      messageOf(await transport().call(deletePasskey, { userId: 'me', passkeyId }, own));
      expect(await list()).toEqual([]);
      expect(await signIn(new CookieClient(transport()), added)).toMatchObject({
        error: { code: 'identity.credential_invalid' },
      });
    });

    it('are at most ten, and each is added once', async () => {
      const { own, list } = await person();
      const first = await newPasskey(transport(), origin(), own);
      messageOf(await transport().call(createPasskey, first.request, own));
      const again = await newPasskey(transport(), origin(), own);
      // The same key, as an answer to new options.
      const challenge = readChallenge(again.request.credential);
      const credential = first.passkey.create({ challenge, rp: { id: '127.0.0.1' } });
      const repeated = { ...first.request, credential };
      expect(await transport().call(createPasskey, repeated, own)).toMatchObject({
        error: { code: 'conflict' },
      });
      const started = await Promise.all(
        Array.from({ length: 10 }, () => newPasskey(transport(), origin(), own)),
      );
      const answers = await Promise.all(
        started.map(({ request }) => transport().call(createPasskey, request, own)),
      );
      const refused = answers.flatMap((answer) => (answer.ok ? [] : [answer.error.code]));
      expect(refused).toEqual(['conflict']);
      expect(await list()).toHaveLength(10);
    });
  });
});

function readChallenge(credential: unknown): string {
  const { response } = credential as { response: { clientDataJSON: string } };
  const text = Buffer.from(response.clientDataJSON, 'base64url').toString();
  return (JSON.parse(text) as { challenge: string }).challenge;
}
