// The throttle of sign-ins: it slows guesses, and does not slow the user.
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../src/base/errors/errors.ts';
import { networkOf, normaliseAddress } from '../../src/base/net/network.ts';
import {
  createSignInThrottle,
  type SignInThrottle,
} from '../../src/identity/sessions/sign-in-throttle.ts';
import { transact } from '../../src/storage/database.ts';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { codeOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { addUser } from '../support/user-rows.ts';

const password = 'correct horse battery staple';
const second = 1_000;
const minute = 60 * second;

describeApp('attempts to sign in', (suite) => {
  const start = Math.ceil(Date.now() / 1000) * 1000;
  const at = (ms: number) => {
    suite.clock.frozen = start + ms;
  };
  forgetAttempts(suite);
  beforeEach(() => {
    at(0);
  });

  describeOneTransport(suite, (name) => {
    const browser = () => new CookieClient(suite.transport(name));
    const add = () => addUser(suite.app.inside.db, { password });
    async function code(by: CookieClient, email: string, text = password): Promise<string> {
      return codeOf(await by.signIn({ email, password: text }));
    }
    async function guess(email: string, times: number): Promise<string[]> {
      const codes: string[] = [];
      for (let i = 0; i < times; i++) codes.push(await code(browser(), email, `guess ${i}`));
      return codes;
    }

    it('wait after five failures, for known and unknown users alike', async () => {
      const { email } = await add();
      for (const address of [email, `nobody.${name}@example.com`]) {
        const codes = await guess(address, 7);
        expect(codes.slice(0, 5)).toEqual(Array(5).fill('identity.credential_invalid'));
        expect(codes.slice(5)).toEqual(['rate_limited', 'rate_limited']);
      }
      expect(await code(browser(), email)).toBe('rate_limited');
      expect(await code(browser(), email.toUpperCase())).toBe('rate_limited');

      at(second);
      expect(await code(browser(), email)).toBe('ok');
      // The successful sign-in clears the wait.
      expect(await guess(email, 5)).toEqual(Array(5).fill('identity.credential_invalid'));
    });

    it("do not wait for others' guesses in a browser that the user knows", async () => {
      const { email } = await add();
      const own = browser();
      expect(await code(own, email)).toBe('ok');
      await guess(email, 5);
      expect(await code(browser(), email)).toBe('rate_limited');

      expect(await code(own, email)).toBe('ok');
      own.setCookie('latchkey_session', undefined);
      expect(await code(own, email)).toBe('ok');

      // The cookie is valid only for that user, and its own attempts are counted.
      const other = await add();
      await guess(other.email, 5);
      expect(await code(own, other.email)).toBe('rate_limited');
      for (let i = 0; i < 5; i++) await code(own, email, `guess ${i}`);
      expect(await code(own, email)).toBe('rate_limited');
    });

    it('are recognized by a signed cookie for ninety days', async () => {
      const { email } = await add();
      const own = browser();
      await code(own, email);
      const device = own.cookie('latchkey_device') ?? '';
      await guess(email, 5);
      const [body = '', mac = ''] = device.split('.');
      const signed = JSON.parse(Buffer.from(body, 'base64url').toString());
      const bodyOf = (change: object) =>
        Buffer.from(JSON.stringify({ ...signed, ...change })).toString('base64url');
      for (const forged of [
        '',
        body,
        `${bodyOf({ expireTime: signed.expireTime + 1 })}.${mac}`,
        `${bodyOf({ value: '0'.repeat(22) })}.${mac}`,
        `${body}.${mac.slice(0, -1)}${mac.endsWith('A') ? 'B' : 'A'}`,
      ]) {
        own.setCookie('latchkey_device', forged);
        expect(await code(own, email), forged).toBe('rate_limited');
      }
      own.setCookie('latchkey_device', device);
      expect(await code(own, email)).toBe('ok');

      at(91 * 24 * 60 * minute);
      await guess(email, 5);
      own.setCookie('latchkey_device', device);
      expect(await code(own, email)).toBe('rate_limited');
    });
  });

  it('from a familiar browser succeed while a stranger floods its network', async () => {
    const { email } = await addUser(suite.app.inside.db, { password });
    const familiar = new CookieClient(suite.transport('http'));
    await familiar.signedIn({ email, password });
    const stranger = () => new CookieClient(suite.transport('http'));
    for (let i = 0; i < 15; i++) {
      const victim = await addUser(suite.app.inside.db, { password });
      for (let guess = 0; guess < 4; guess++) {
        await stranger().signIn({ email: victim.email, password: 'wrong' });
      }
    }
    const fresh = await stranger().signIn({ email, password });
    expect(fresh).toMatchObject({ error: { code: 'rate_limited' } });
    expect(await familiar.signIn({ email, password })).toMatchObject({ ok: true });
    // Attempts from the browser itself still count.
    for (let i = 0; i < 5; i++) await familiar.signIn({ email, password: 'wrong' });
    expect(await familiar.signIn({ email, password })).toMatchObject({
      error: { code: 'rate_limited' },
    });
  });

  it('get Retry-After over HTTP', async () => {
    const { email } = await addUser(suite.app.inside.db, { password });
    const browser = new CookieClient(suite.transport('http'));
    for (let i = 0; i < 5; i++) await browser.signIn({ email, password: 'wrong' });
    for (const wait of [1, 2, 4]) {
      const answer = await browser.signIn({ email, password: 'wrong' });
      expect(answer).toMatchObject({ error: { code: 'rate_limited' } });
      expect(browser.retryAfter).toBe(wait);
      at((suite.clock.frozen ?? 0) - start + wait * second);
      await browser.signIn({ email, password: 'wrong' });
    }
  });

  describe('are counted', () => {
    const keys = [randomBytes(32)] as const;
    const here = () =>
      createSignInThrottle({ db: suite.app.inside.db, keys, now: suite.clock.now });
    const attempt = { email: 'ada@example.com', network: '192.0.2.1', device: undefined };
    /** The seconds to wait; 0 for an accepted attempt. */
    async function count(throttle: SignInThrottle, change: Partial<typeof attempt> = {}) {
      return throttle.count({ ...attempt, ...change }).then(
        () => 0,
        (error: unknown) => failureOf(error).extra.retryAfterSeconds ?? Number.NaN,
      );
    }
    async function succeed(throttle: SignInThrottle, change: Partial<typeof attempt> = {}) {
      const { forgive } = await throttle.count({ ...attempt, ...change });
      await transact(suite.app.inside.db, forgive);
    }
    const networks = (count: number) => Array.from({ length: count }, (_, i) => `198.51.100.${i}`);

    it('before they are checked, so that concurrent attempts cannot exceed the limit', async () => {
      // As in two processes, which share only the database.
      const [one, other] = [here(), here()];
      const waits = await Promise.all(
        Array.from({ length: 24 }, (_, i) => count(i % 2 === 0 ? one : other)),
      );
      expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
    });

    it('with waits that double up to 64 seconds, and do not grow during a wait', async () => {
      const throttle = here();
      for (let i = 0; i < 5; i++) expect(await count(throttle)).toBe(0);
      let time = 0;
      for (const wait of [1, 2, 4, 8, 16, 32, 64, 64, 64]) {
        for (let i = 0; i < 3; i++) expect(await count(throttle)).toBe(wait);
        time += wait * second;
        at(time);
        expect(await count(throttle)).toBe(0);
      }
    });

    it('until they are forgotten, one in ten minutes', async () => {
      const throttle = here();
      for (let i = 0; i < 5; i++) await count(throttle);
      at(20 * minute);
      for (const wait of [0, 0, 1]) expect(await count(throttle)).toBe(wait);
      at(200 * minute);
      for (const wait of [0, 0, 0, 0, 0, 1]) expect(await count(throttle)).toBe(wait);
    });

    it("for the user over all networks, except the user's familiar networks", async () => {
      const throttle = here();
      await succeed(throttle);
      for (const network of networks(20)) expect(await count(throttle, { network })).toBe(0);

      expect(await count(throttle, { network: '203.0.113.1' })).toBe(1);
      expect(await count(throttle)).toBe(0);
      // Familiar for this user only.
      const email = 'grace@example.com';
      for (const network of networks(20)) await count(throttle, { email, network });
      expect(await count(throttle, { email })).toBe(1);
    });

    it('for the network over all users, with room for an office', async () => {
      const throttle = here();
      const email = (i: number) => `user${i}@example.com`;
      for (let i = 0; i < 50; i++) expect(await count(throttle, { email: email(i) })).toBe(0);

      expect(await count(throttle, { email: email(50) })).toBe(1);
      expect(await count(throttle, { email: email(50), network: '192.0.2.2' })).toBe(0);
    });

    it('and not counted if they succeed; failures of others remain', async () => {
      const throttle = here();
      const email = (i: number) => `user${i}@example.com`;
      for (let i = 0; i < 49; i++) await count(throttle, { email: email(i) });
      // Successful sign-ins do not change the count of the network.
      for (let i = 0; i < 5; i++) await succeed(throttle);
      expect(await count(throttle, { email: email(49) })).toBe(0);
      expect(await count(throttle, { email: email(50) })).toBe(1);
    });

    it('in rows that expire and contain no names', async () => {
      const { db } = suite.app.inside;
      const throttle = here();
      await count(throttle);
      await succeed(throttle, { network: '192.0.2.9' });
      const all = async () => [
        ...(await db.selectFrom('throttle_counters').select('key').execute()),
        ...(await db.selectFrom('familiar_networks').select('key').execute()),
      ];
      expect((await all()).length).toBeGreaterThan(3);
      // Digests alone: 32 bytes in base64url.
      for (const { key } of await all()) expect(key).toMatch(/^[\w-]{43}$/);

      at(91 * 24 * 60 * minute);
      await suite.app.inside.deleteOldRows();
      expect(await all()).toEqual([]);
    });
  });
});

describe('an address', () => {
  itHoldsFor([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['[::1]', '::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['0000:0000:0000:0000:0000:ffff:c000:0201', '192.0.2.1'],
    ['[::ffff:c000:201]', '192.0.2.1'],
    ['::ffff:c000:201%eth0', '192.0.2.1'],
    ['[fe80::1%eth0]', 'fe80::1'],
    ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::ffff:0:c000:201', '::ffff:0:c000:201'],
    ['::ffff:999.0.2.1', '::ffff:999.0.2.1'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('is normalized', (address, normalized) => {
    expect(normaliseAddress(address)).toBe(normalized);
  });
});

describe('the network of an address', () => {
  itHoldsFor([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c633:6409', '198.51.100.9'],
    ['::FFFF:C633:6409%eth0', '198.51.100.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::ffff]', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('is shortened to its prefix', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
