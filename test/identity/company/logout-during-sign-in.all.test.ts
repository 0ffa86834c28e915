// Changes during a sign-in with a provider that has not ended.
import { expect, it } from 'vitest';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { transact } from '../../../src/storage/database.ts';
import { lockUserRow } from '../../../src/storage/queries/users.ts';
import { openUntilFinished } from '../../support/databases.ts';
import { countWaiting } from '../../support/lock-waits.ts';
import { codeOf } from '../../support/manager-calls.ts';
import { useProviderApp } from '../../support/provider-app.ts';

const event = 'http://schemas.openid.net/event/backchannel-logout';

// Transactions of SQLite take turns.
const shared = useProviderApp('postgres');

it('ends the session of a first sign-in that has not ended', async () => {
  const { testApp, provider } = shared;
  const id = await shared.register();
  const sub = 'a first subject';
  const time = Math.floor(Date.now() / 1000);
  const token = await provider.sign({
    ...{ iss: provider.issuer, aud: provider.clientId, jti: 'one', sub },
    ...{ iat: time, exp: time + 120, events: { [event]: {} } },
  });
  const browser = shared.browser();
  const other = await openUntilFinished(testApp.databaseUrl);
  const { signedIn, reported } = await transact(other, async (trx) => {
    // The sign-in holds the provider, and waits before it writes its session.
    await trx.insertInto('users').values(row(sub)).execute();
    const signedIn = browser.signIn(provider, id, {
      ...{ sub, email: 'first@example.com', email_verified: true },
    });
    await expect.poll(() => countWaiting(shared.db())).toBe(1);
    const reported = fetch(`${testApp.app.publicUrl}/sessions/oidc/${id}/logout`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });
    let hasAnswered = false;
    reported.then(() => {
      hasAnswered = true;
    });
    await expect.poll(async () => hasAnswered || (await countWaiting(shared.db())) > 1).toBe(true);
    return { signedIn, reported };
  });
  expect((await signedIn).problem).toBe('');
  expect((await reported).status).toBe(200);
  expect(codeOf(await shared.refresh(browser))).toBe('unauthenticated');
});

it('starts no session of an account that is unlinked during the sign-in', async () => {
  const { testApp, provider, manager } = shared;
  const providerId = await shared.register();
  const account = shared.account();
  expect((await shared.browser().signIn(provider, providerId, account)).problem).toBe('');
  const { id: identityId, user_id: userId } = await shared
    .db()
    .selectFrom('user_identities')
    .select(['id', 'user_id'])
    .where('subject', '=', account.sub)
    .executeTakeFirstOrThrow();
  const browser = shared.browser();
  const { deleteUserIdentity } = IdentityProviderService.method;
  const other = await openUntilFinished(testApp.databaseUrl);
  const { signedIn, unlinked } = await transact(other, async (trx) => {
    // The unlinking waits for the user first, and then the sign-in, which has read the identity.
    await lockUserRow(trx, userId);
    const unlinked = shared.http().call(deleteUserIdentity, { userId, identityId }, manager);
    await expect.poll(() => countWaiting(shared.db())).toBe(1);
    const signedIn = browser.signIn(provider, providerId, account);
    await expect.poll(() => countWaiting(shared.db())).toBe(2);
    return { signedIn, unlinked };
  });
  expect(codeOf(await unlinked)).toBe('ok');
  expect((await signedIn).problem).toBe('expired');
  expect(browser.session).toBeUndefined();
  const live = shared.db().selectFrom('sessions').select('id').where('revoke_time', 'is', null);
  expect(await live.where('user_id', '=', userId).execute()).toEqual([]);
});

const row = (name: string) => ({
  ...{ id: 'usr_0000000000000000000000', kind: 'member' as const, email: 'first@example.com' },
  ...{ name, password_hash: '', scopes: '', create_time: 1, update_time: null },
});
