// Signing in on the command line through a browser (RFC 8628).

import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import {
  SessionService,
  type SignInWithDeviceCodeResponse,
} from '../../gen/latchkey/identity/v1/session_pb.js';
import { digestOf } from '../../src/base/crypto/credential-format.ts';
import { describeApp } from '../support/app-suite.ts';
import { startDeviceSignIn, useDeviceSignIns } from '../support/device-sign-ins.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { credentialFor, liveSessions, subjectOf } from '../support/member-rows.ts';
import { addProvider } from '../support/provider-rows.ts';
import type { TransportAnswer } from '../support/transports.ts';

type SignedIn = { readonly access_token: string; readonly user: object };

const methods = SessionService.method;
const wrongCodes = ['BBBB-BBBB', 'bbbbbbbc', 'BBBB BBBD'];

describeApp('a command-line sign-in through a browser', (suite) => {
  const { db, transport, wait, setUp, program, poll, find, approve, deny, approved } =
    useDeviceSignIns(suite);

  it('starts a session like that of the browser, as RFC 8628 describes it', async () => {
    const { user, own } = await setUp();
    const { publicUrl } = suite.app;
    const post = (path: string, body: string, type: string) =>
      fetch(publicUrl + path, {
        method: 'POST',
        headers: { 'content-type': type, 'user-agent': 'latchkey/0.2.0', 'x-request-id': 'polled' },
        body,
      });
    // OAuth libraries send parameters that this server does not know.
    const form = String(new URLSearchParams({ client_id: 'latchkey-cli', scope: 'openid' }));
    const started = await post('/oauth2/device', form, 'application/x-www-form-urlencoded');
    expect(started.headers.get('cache-control')).toBe('no-store');
    const device = (await started.json()) as Record<string, string>;
    const letters = '[BCDFGHJKLMNPQRSTVWXZ]{4}';
    expect(device).toEqual({
      device_code: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
      user_code: expect.stringMatching(new RegExp(`^${letters}-${letters}$`)),
      verification_uri: `${publicUrl}/console/device`,
      verification_uri_complete: `${publicUrl}/console/device#${device.user_code}`,
      ...{ expires_in: 600, interval: 5 },
    });
    const { device_code: deviceCode = '', user_code: userCode = '' } = device;
    const ask = () =>
      post('/sessions/device', JSON.stringify({ device_code: deviceCode }), 'application/json');
    const pending = await ask();
    expect(pending.status).toBe(400);
    expect(await pending.json()).toMatchObject({ error: 'authorization_pending' });
    wait(2);
    const early = await ask();
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '3']);

    expect(messageOf(await find(userCode, own))).toMatchObject({
      ...{ userCode, address: '127.0.0.1', browser: 'latchkey', device: '' },
    });
    wait(60);
    const typed = ` ${userCode.toLowerCase().replace('-', ' ')} `;
    expect(messageOf(await approve(typed, own))).toBeDefined();
    wait(1);
    // A repeated approval, after a lost answer.
    expect(messageOf(await approve(userCode, own))).toBeDefined();

    wait(1);
    const finished = await ask();
    expect(finished.status).toBe(200);
    const [cookie = ''] = finished.headers.getSetCookie();
    expect(cookie).toMatch(/^latchkey_session=ses_.*HttpOnly/);
    const { access_token: token, user: signedIn } = (await finished.json()) as SignedIn;
    expect(signedIn).toMatchObject({ id: user.id, email: user.email });
    const browserClaims = decodeJwt(own.authorization.slice('Bearer '.length));
    const { auth_time, amr, sid, sub } = decodeJwt(token);
    expect({ auth_time, amr, sub }).toEqual({
      ...{ auth_time: browserClaims.auth_time, amr: browserClaims.amr, sub: user.id },
    });
    expect(sid).not.toBe(browserClaims.sid);

    const rows = await db().selectFrom('device_sign_ins').selectAll().execute();
    expect(rows).toContainEqual(
      expect.objectContaining({ digest: digestOf(deviceCode), state: 'used' }),
    );
    expect(JSON.stringify(rows)).not.toContain(deviceCode);
    const log = await suite.testApp.logText();
    for (const secret of [deviceCode, userCode, userCode.replace('-', '')]) {
      expect(log).not.toContain(secret);
    }
    const events = db().selectFrom('audit_events').select(['action', 'target', 'reason', 'code']);
    expect(await events.where('actor_id', '=', user.id).orderBy('create_time').execute()).toEqual(
      [
        ['SignIn', ''],
        ['ApproveDeviceSignIn', 'requested from 127.0.0.1'],
        ['ApproveDeviceSignIn', 'requested from 127.0.0.1'],
        ['SignInWithDeviceCode', ''],
      ].map(([name, reason]) => ({
        ...{ action: `SessionService.${name}`, target: user.id, reason, code: 'ok' },
      })),
    );
  });

  it('makes a program wait between two calls, and replaces its earlier session', async () => {
    const given = await setUp();
    const client = program();
    expect(codeOf(await poll(given.device, client))).toBe('identity.authorization_pending');
    await approved(given);
    wait(4);
    expect(codeOf(await poll(given.device, client))).toBe('rate_limited');
    // The early call did not count.
    wait(1);
    messageOf(await poll(given.device, client));
    const { sid } = subjectOf(given.own);
    const first = (await liveSessions(db(), given.user.id)).find((id) => id !== sid);
    const next = await startDeviceSignIn(transport());
    messageOf(await approve(next.userCode, given.own));
    messageOf(await poll(next, client));
    const left = await liveSessions(db(), given.user.id);
    expect([left.length, left.includes(first ?? '')]).toEqual([2, false]);
    // The cookie continues the session, as after every other sign-in.
    expect(codeOf(await client.refresh())).toBe('ok');
  });

  it('inherits the provider, so that a logout at the provider also ends the session', async () => {
    const given = await setUp();
    const facts = {
      provider_id: await addProvider(db()),
      provider_sid: 'sid',
      auth_time: suite.clock.now() - 1,
    };
    const all = db().updateTable('sessions').set(facts);
    await all.where('user_id', '=', given.user.id).execute();
    messageOf(await poll(await approved(given)));
    const rows = db().selectFrom('sessions').selectAll().where('user_id', '=', given.user.id);
    expect(await rows.execute()).toMatchObject([facts, facts]);
  });

  it('starts one session if many programs ask at the same time', async () => {
    const given = await setUp();
    await approved(given);
    // Each program reads a later time, so that the interval stops none of them.
    let time = suite.clock.now();
    Object.defineProperty(suite.clock, 'frozen', {
      ...{ configurable: true, get: () => (time += 5000) },
    });
    const answers: TransportAnswer<SignInWithDeviceCodeResponse>[] = await Promise.all(
      Array.from({ length: 6 }, () => poll(given.device)),
    );
    Object.defineProperty(suite.clock, 'frozen', { value: undefined, writable: true });
    const codes = answers.map(codeOf);
    expect(codes.filter((code) => code === 'ok')).toHaveLength(1);
    const refused = new Set(codes.filter((code) => code !== 'ok'));
    expect([...refused]).toEqual(['identity.device_code_invalid']);
    expect(await liveSessions(db(), given.user.id)).toHaveLength(2);
  });

  it('slows down a user who guesses codes, and no one else', async () => {
    const { device, own } = await setUp();
    for (let guess = 0; guess < 20; guess++) {
      const code = wrongCodes[guess % wrongCodes.length] ?? '';
      const call = [find, approve, deny][guess % 3] ?? find;
      expect(codeOf(await call(code, own))).toBe('not_found');
    }
    expect(codeOf(await find(device.userCode, own))).toBe('rate_limited');
    const other = await credentialFor(suite.testApp, { type: 'member', scope: '' });
    // Right codes do not count.
    for (let i = 0; i < 25; i++) expect(codeOf(await find(device.userCode, other))).toBe('ok');
    wait(1);
    expect(codeOf(await approve(device.userCode, own))).toBe('ok');
  });

  it('limits starts and unknown device codes of a network, and waiting sign-ins', async () => {
    const start = () => transport().call(methods.startDeviceSignIn, { clientId: 'latchkey-cli' });
    for (let i = 0; i < 50; i++) messageOf(await start());
    expect(codeOf(await start())).toBe('rate_limited');
    const unknown = () => poll({ deviceCode: 'a'.repeat(43) });
    for (let i = 0; i < 50; i++) expect(codeOf(await unknown())).toMatch(/device_code_invalid/);
    expect(codeOf(await unknown())).toBe('rate_limited');

    await db().deleteFrom('throttle_counters').execute();
    const [row] = await db().selectFrom('device_sign_ins').selectAll().execute();
    if (row === undefined) throw new Error('no sign-in');
    const live = { ...row, expire_time: suite.clock.now() + 1000 };
    for (let from = 0; from < 10_000; from += 1000) {
      const rows = Array.from({ length: 1000 }, (_, at) => {
        const name = `row ${from + at}`;
        return { ...live, id: name, digest: name, user_code: name };
      });
      await db().insertInto('device_sign_ins').values(rows).execute();
    }
    expect(codeOf(await start())).toBe('unavailable');
    wait(600);
    expect(codeOf(await start())).toBe('ok');
  });
});
