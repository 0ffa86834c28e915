// The throttling of password guesses and of requests for codes, and the visitors it must not slow.

import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { generateCode } from '../../src/sharing/gate/codes.ts';
import { createPasswordThrottle } from '../../src/sharing/gate/password-throttle.ts';
import { alertOf, codesFor, fieldAskedBy, mailedLink, Visitor } from '../support/gate-visitor.ts';
import { useSecretDocument, waitOf } from '../support/gated-document.ts';
import { describeFeature } from '../support/matrix.ts';

const second = 1_000;
const minute = 60 * second;
const password = 'open sesame';

describeFeature('the limits of a gate', (dialect) => {
  const { app, clock, open, gated, gateCodes } = useSecretDocument(dialect);
  const verifiedLink = () => gated({ email_verification_required: true });

  it('delay passwords after ten wrong ones in a row, longer each time', async () => {
    const link = await open({ password });
    const visitor = new Visitor(link);
    for (let i = 0; i < 10; i++) {
      expect((await visitor.post({ password: `guess ${i}` })).status).toBe(403);
    }
    for (const wait of [1, 2, 4]) {
      // A correct password waits, too: the answer must not reveal that it is correct.
      for (const text of [password, 'wrong']) {
        const answer = await visitor.post({ password: text });
        expect([answer.status, fieldAskedBy(answer)]).toEqual([429, 'Password']);
        expect(answer.headers.get('retry-after')).toBe(String(wait));
        expect(alertOf(answer)).toContain(`${wait} second`);
      }
      clock.now += wait * second;
      expect((await visitor.post({ password: 'wrong' })).status).toBe(403);
    }
    clock.now += 8 * second;
    expect((await visitor.post({ password })).status).toBe(303);
    // The correct password ended the delay.
    for (let i = 0; i < 10; i++) {
      expect((await new Visitor(link).post({ password: `guess ${i}` })).status).toBe(403);
    }
  });

  it('check ten of thirty passwords that arrive at once', async () => {
    const link = await open({ password });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => new Visitor(link).post({ password: `guess ${i}` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  it('delay neither another link nor a browser that once sent the correct password', async () => {
    const [link, other] = [await open({ password }), await open({ password })];
    const known = new Visitor(link);
    await known.post({ password });
    for (let i = 0; i < 10; i++) await new Visitor(link).post({ password: 'wrong' });
    expect((await new Visitor(link).post({ password })).status).toBe(429);

    // Its access session has expired, but the service still knows the browser.
    known.cookies.delete('latchkey_access');
    known.cookies.delete('latchkey_gate');
    expect(await known.asked()).toBe('Password');
    expect((await known.post({ password })).status).toBe(303);
    expect((await new Visitor(other).post({ password })).status).toBe(303);
    // This neither resets the count nor opens another link.
    const stranger = new Visitor(link);
    for (const text of ['', 'x', `${known.cookies.get('latchkey_browser')}x`]) {
      stranger.cookies.set('latchkey_browser', text);
      expect((await stranger.post({ password })).status).toBe(429);
    }
    known.cookies.delete('latchkey_access');
    for (let i = 0; i < 10; i++) await known.post({ password: 'wrong' });
    expect((await known.post({ password })).status).toBe(429);
    // One failure is forgotten after at most ten minutes.
    clock.now += 10 * minute;
    expect((await new Visitor(link).post({ password })).status).toBe(303);
  });

  it('sum the failures of many networks, and delay no one for long', async () => {
    const { db } = app().app.inside;
    const throttle = createPasswordThrottle({ db, keys: [randomBytes(32)], now: () => clock.now });
    const guess = (network: string, browser?: string) =>
      waitOf(throttle.count({ linkId: 'lnk_a', network, browser }));
    for (let i = 0; i < 100; i++) expect(await guess(`198.51.100.${i}`)).toBe(0);

    expect(await guess('203.0.113.1')).toBe(1);
    expect(await guess('203.0.113.1', 'known')).toBe(0);
    let longest = 0;
    for (let i = 0; i < 20; i++) {
      const wait = (await guess(`203.0.113.${i}`)) ?? Number.NaN;
      longest = Math.max(longest, wait);
      clock.now += wait * second;
      expect(await guess(`203.0.113.${i}`)).toBe(0);
    }
    expect(longest).toBe(4);
    clock.now += 4 * second;
    expect(await guess('192.0.2.1')).toBe(0);
  });

  it('do not count correct passwords as failures of the link’s visitors', async () => {
    const { db } = app().app.inside;
    const throttle = createPasswordThrottle({ db, keys: [randomBytes(32)], now: () => clock.now });
    const count = (network: string) =>
      throttle.count({ linkId: 'lnk_a', network, browser: undefined });
    for (let i = 0; i < 99; i++) await count(`198.51.100.${i}`);
    for (let i = 0; i < 5; i++) await (await count(`192.0.2.${i}`))();
    expect(await waitOf(count('203.0.113.1'))).toBe(0);
    expect(await waitOf(count('203.0.113.2'))).toBe(1);
  });

  it('send an address six codes for links of a workspace, then one per ten minutes', async () => {
    const email = 'much.asked@example.com';
    for (let i = 0; i < 6; i++) {
      expect((await new Visitor(await verifiedLink()).post({ email })).status).toBe(303);
    }
    const visitor = new Visitor(await verifiedLink());
    const refused = await visitor.post({ email });
    expect([refused.status, fieldAskedBy(refused)]).toEqual([429, 'Code']);
    expect(refused.headers.get('retry-after')).toBe('600');
    expect(alertOf(refused)).toContain('10 minutes');
    expect(await codesFor(app(), email)).toHaveLength(6);
    // Other addresses still get codes.
    expect((await visitor.post({ email: 'other@example.com' })).status).toBe(303);

    clock.now += 10 * minute;
    expect((await visitor.post({ email })).status).toBe(303);
    expect((await new Visitor(await verifiedLink()).post({ email })).status).toBe(429);
    expect(await codesFor(app(), email)).toHaveLength(7);
  });

  it('send sixty codes in a row to one network, then one per minute', async () => {
    const link = await verifiedLink();
    const sent: string[] = [];
    const codes = gateCodes(({ to }) => sent.push(to));
    let count = 0;
    const send = (network: string) => {
      const claim = { linkId: link.id, workspaceId: 'ws_1', email: `r${++count}@example.com` };
      return waitOf(
        codes.send(claim, { network, verifiedBrowser: undefined, visitor: 'v' }, mailedLink),
      );
    };
    for (let i = 0; i < 60; i++) expect(await send('192.0.2.1')).toBe(0);
    expect(await send('192.0.2.1')).toBe(60);
    expect(await send('192.0.2.2')).toBe(0);
    clock.now += minute;
    expect(await send('192.0.2.1')).toBe(0);
    expect(sent).toHaveLength(62);
  });

  it('remove rows that no longer count', async () => {
    const { db } = app().app.inside;
    const link = await verifiedLink();
    await new Visitor(link).post({ email: 'last@example.com' });
    await new Visitor(await open({ password })).post({ password: 'wrong' });
    const rows = async () => [
      ...(await db.selectFrom('throttle_counters').select('key').execute()),
      ...(await db.selectFrom('gate_codes').select('key').execute()),
    ];
    expect((await rows()).length).toBeGreaterThan(3);
    clock.now += 24 * 60 * minute;
    await app().app.inside.deleteOldRows();
    expect(await rows()).toEqual([]);
  });
});

it('draw every code with the same probability', () => {
  // Numbers above the last whole million of 2^32 are discarded, because a modulo would add bias.
  const values = [0xffffffff, 4_294_000_000, 4_293_999_999];
  const random = () => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(values.shift() ?? 0);
    return bytes;
  };
  expect(generateCode(random)).toBe('999999');
  expect(values).toEqual([]);
  values.push(7);
  expect(generateCode(random)).toBe('000007');
});
