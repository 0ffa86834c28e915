// Attacks on passkeys: each is refused with the same error.
import { expect, it } from 'vitest';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { describeApp } from '../../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../../support/cookie-client.ts';
import { messageOf } from '../../support/manager-calls.ts';
import { credentialFor } from '../../support/member-rows.ts';
import { updateRow } from '../../support/owner-rows.ts';
import { addedPasskey, newPasskey } from '../../support/passkeys.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { type Replaced, SoftwarePasskey } from '../../support/software-passkey.ts';
import { addSession, addUser } from '../../support/user-rows.ts';

const { createPasskey, startPasskeyRegistration } = PasskeyService.method;
const { startPasskeySignIn, signInWithPasskey } = SessionService.method;

/** The replaced members of a response, for a sign-in and for a registration. */
const forged: readonly (readonly [string, Replaced])[] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['the origin with another port', { origin: 'http://127.0.0.1:1' }],
  ['another relying party', { rpId: 'evil.example' }],
  ['a challenge of the attacker', { challenge: Buffer.from('challenge').toString('base64url') }],
  ['no challenge', { challenge: '' }],
  ['an authenticator that did not verify the user', { userVerified: false }],
  ['an authenticator without the user', { userPresent: false }],
  ['the other ceremony', { type: 'payment.get' }],
];

/** The library would check the certificates, and fetch their revocation lists. */
const attested: readonly (readonly [string, Replaced])[] = [
  ['an attestation of Android', { attestation: 'android-key' }],
  ['an attestation with a certificate', { attestation: 'packed' }],
];

const handleOf = ({ id }: { readonly id: string }) => Buffer.from(id).toString('base64url');

describeApp('an attack on passkeys', (suite) => {
  const db = () => suite.app.inside.db;
  const transport = () => suite.transport('connect');
  const origin = () => suite.app.publicUrl;
  const browser = () => new CookieClient(transport());
  const cookieName = 'latchkey_passkey';
  forgetAttempts(suite);

  async function victim() {
    const user = await addUser(db(), { kind: 'member' });
    const own = await credentialFor(suite.testApp, { type: 'member', scope: '', sub: user.id });
    const { passkey, id } = await addedPasskey(transport(), origin(), own);
    return { user, own, passkey, id };
  }
  type Victim = Awaited<ReturnType<typeof victim>>;
  const start = async (client: CookieClient, userId = '') =>
    messageOf(await client.call(startPasskeySignIn, { userId })).options;
  const finish = (client: CookieClient, credential: ReturnType<SoftwarePasskey['get']>) =>
    client.call(signInWithPasskey, { credential });

  /** The answer to a response in a new browser, of which some members are replaced. */
  async function respond(passkey: SoftwarePasskey, replaced: Replaced = {}, client = browser()) {
    return finish(client, passkey.get(await start(client), replaced));
  }

  const attacks: Readonly<Record<string, (given: Victim) => ReturnType<typeof finish>>> = {
    ...Object.fromEntries(
      forged.map(([what, replaced]) => [what, ({ passkey }: Victim) => respond(passkey, replaced)]),
    ),
    'a challenge of a registration': async ({ own, passkey }) => {
      const client = browser();
      await start(client);
      const started = await transport().call(startPasskeyRegistration, { userId: 'me' }, own);
      const { challenge = '' } = messageOf(started).options ?? {};
      return finish(client, passkey.get({ challenge, rpId: '127.0.0.1' }));
    },
    'a replayed response': async ({ passkey }) => {
      const client = browser();
      const credential = passkey.get(await start(client));
      const cookie = client.cookie(cookieName);
      messageOf(await finish(client, credential));
      const thief = browser();
      thief.setCookie(cookieName, cookie);
      return finish(thief, credential);
    },
    'a response to the challenge of another browser': async ({ passkey }) => {
      const thief = browser();
      await start(thief);
      return finish(thief, passkey.get(await start(browser())));
    },
    'a browser without the cookie': async ({ passkey }) =>
      finish(browser(), passkey.get(await start(browser()))),
    'a response after five minutes': async ({ passkey }) => {
      const client = browser();
      const options = await start(client);
      suite.clock.frozen = Date.now() + 300_001;
      const answer = await finish(client, passkey.get(options));
      suite.clock.frozen = undefined;
      return answer;
    },
    'the user handle of another user': async ({ passkey }) =>
      respond(passkey, { userHandle: handleOf(await addUser(db())) }),
    'no user handle': ({ passkey }) => respond(passkey, { userHandle: '' }),
    'a step-up of another user': async ({ passkey }) => {
      const client = browser();
      const options = await start(client, (await addUser(db())).id);
      return finish(client, passkey.get(options));
    },
    'an unknown passkey': () => respond(new SoftwarePasskey(origin())),
    'the passkey of another user with its own key': ({ user, passkey }) =>
      respond(new SoftwarePasskey(origin()), { id: passkey.id, userHandle: handleOf(user) }),
    'a changed signature': ({ passkey }) => respond(passkey, { signature: 'AAAA' }),
    'a disabled user': async ({ user, passkey }) => {
      await updateRow(db(), 'users', user.id, { disable_time: 1 });
      return respond(passkey);
    },
    ...Object.fromEntries(
      [3, 4].map((counter) => [
        `a signature counter of ${counter} after 4`,
        async ({ passkey }: Victim) => {
          const client = browser();
          messageOf(await respond(passkey, { counter: 4 }, client));
          return respond(passkey, { counter }, client);
        },
      ]),
    ),
  };

  itHoldsFor(Object.entries(attacks), 20)(
    'gets one error, and no cookie',
    async (_what, attack) => {
      const answer = await attack(await victim());
      expect(answer).toMatchObject({
        ok: false,
        error: {
          code: 'identity.credential_invalid',
          message: 'The passkey was not accepted. Try again.',
          fields: [],
        },
      });
    },
  );

  it('with a copy is in the audit log, with its reason', async () => {
    const { passkey, id } = await victim();
    messageOf(await respond(passkey, { counter: 9 }));
    await respond(passkey, { counter: 9 });
    const events = async () =>
      db()
        .selectFrom('audit_events')
        .select(['action', 'code', 'reason'])
        .where('target', '=', id)
        .where('code', '!=', 'ok')
        .execute();
    await expect.poll(events).toEqual([
      {
        action: 'SessionService.SignInWithPasskey',
        code: 'identity.credential_invalid',
        reason: 'the signature counter did not increase',
      },
    ]);
  });

  const registrations: Record<
    string,
    (given: Victim) => Promise<{ readonly credential: ReturnType<SoftwarePasskey['create']> }>
  > = {
    'options of another session of the user': async ({ user }) => {
      const { cookie } = await addSession(db(), user.id);
      const other = browser();
      other.setCookie('latchkey_session', cookie);
      const refreshed = messageOf(await other.refresh());
      const own = { authorization: `Bearer ${refreshed.accessToken}` };
      return (await newPasskey(transport(), origin(), own)).request;
    },
    'a challenge of a sign-in': async () => {
      const { challenge = '' } = (await start(browser())) ?? {};
      const options = { challenge, rp: { id: '127.0.0.1' } };
      return { credential: new SoftwarePasskey(origin()).create(options) };
    },
    'options that were used': async ({ own }) => {
      const { request } = await newPasskey(transport(), origin(), own);
      messageOf(await transport().call(createPasskey, request, own));
      return request;
    },
    ...Object.fromEntries(
      [...forged, ...attested].map(([what, replaced]) => [
        what,
        async ({ own }: Victim) => {
          const started = await transport().call(startPasskeyRegistration, { userId: 'me' }, own);
          const { options } = messageOf(started);
          return { credential: new SoftwarePasskey(origin()).create(options, replaced) };
        },
      ]),
    ),
  };

  itHoldsFor(Object.entries(registrations), 13)('adds no passkey', async (_what, attack) => {
    const given = await victim();
    const { credential } = await attack(given);
    const request = { userId: 'me', name: 'Evil', credential };
    expect(await transport().call(createPasskey, request, given.own)).toMatchObject({
      ok: false,
      error: { code: 'invalid_argument', fields: ['credential'] },
    });
  });

  it('cannot send an endless or malformed credential', async () => {
    const client = browser();
    await start(client);
    for (const [credential, field] of [
      [{ id: 'x'.repeat(16_384), response: {} }, 'credential'],
      [{ id: 1, response: {} }, 'credential.id'],
      [{ id: '', response: {} }, 'credential.id'],
      [{ id: 'a\0', response: {} }, 'credential.id'],
      [{ id: 'a\n', response: {} }, 'credential.id'],
      [{ id: 'x', response: [] }, 'credential.response'],
    ] as const) {
      const answer = await client.call(signInWithPasskey, {
        credential: credential as unknown as ReturnType<SoftwarePasskey['get']>,
      });
      expect(answer).toMatchObject({ error: { code: 'invalid_argument', fields: [field] } });
    }
  });
});
