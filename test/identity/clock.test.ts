// A clock that was ahead and is set back: no wait lasts as long as it was ahead, and nothing that
// was created meanwhile outlives its maximum.
import { beforeEach, expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { liveSessions } from '../support/member-rows.ts';
import { addTotp, addUser } from '../support/user-rows.ts';

const password = 'correct horse battery staple';
const dayMs = 24 * 60 * 60_000;

describeApp('a clock that was 400 days ahead', (suite) => {
  const start = Math.ceil(Date.now() / 1000) * 1000;
  const at = (ms: number) => {
    suite.clock.frozen = start + ms;
  };
  const db = () => suite.app.inside.db;
  const browser = () => new CookieClient(suite.transport('http'));
  forgetAttempts(suite);
  beforeEach(() => {
    at(400 * dayMs);
  });

  it('allows sign-in after it is set back, and bounds the next wait', async () => {
    const { email } = await addUser(db(), { password });
    for (let i = 0; i < 7; i++) await browser().signIn({ email, password: 'wrong' });
    at(0);
    const guess = await browser().signIn({ email, password: 'wrong' });
    expect(guess).toMatchObject({ error: { code: 'identity.credential_invalid' } });
    const early = browser();
    expect(await early.signIn({ email, password })).toMatchObject({
      error: { code: 'rate_limited' },
    });
    // The wait of the network, or of the network and the user together.
    expect([8, 64]).toContain(early.retryAfter);
    at(64_000);
    expect(await browser().signIn({ email, password })).toMatchObject({ ok: true });
  });

  it('does not invalidate the codes of a second factor', async () => {
    const { id, email } = await addUser(db(), { password });
    const codeOf = await addTotp(suite.testApp, id);
    const signIn = (ms: number) => {
      at(ms);
      return browser().signIn({ email, password, otp: codeOf(start + ms) });
    };
    expect(await signIn(400 * dayMs)).toMatchObject({ ok: true });
    expect(await signIn(0)).toMatchObject({ ok: true });
    // Each code still works only once.
    expect(await signIn(0)).toMatchObject({ ok: false });
  });

  it('does not create sessions of 400 days', async () => {
    const { id, email } = await addUser(db(), { password });
    const own = browser();
    await own.signedIn({ email, password });
    at(0);
    expect(await own.refresh()).toMatchObject({ error: { code: 'unauthenticated' } });
    await suite.app.inside.deleteOldRows();
    expect(await liveSessions(db(), id)).toEqual([]);
  });
});
