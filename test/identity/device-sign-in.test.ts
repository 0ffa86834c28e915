// Signing in on the command line through a browser (RFC 8628), and attacks on it.
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  SessionService,
  type SignInWithDeviceCodeResponse,
  type StartDeviceSignInResponse,
} from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { digestOf } from '../../src/base/crypto/credential-format.ts';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient } from '../support/cookie-client.ts';
import { startDeviceSignIn } from '../support/device-sign-ins.ts';
import { startTestApp } from '../support/harness.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { credentialFor, liveSessions } from '../support/member-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { openTransports, type TransportAnswer } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

type SignedIn = { readonly access_token: string; readonly user: object };

const methods = SessionService.method;
const password = 'correct horse battery staple';
const wrongCodes = ['BBBB-BBBB', 'bbbbbbbc', 'BBBB BBBD'];

describeApp('a sign-in of the command line through a browser', (suite) => {
  const db = () => suite.app.inside.db;
  const transport = () => suite.transport('connect');
  const wait = (seconds: number) => {
    suite.clock.frozen = suite.clock.now() + seconds * 1000;
  };
  beforeEach(async () => {
    suite.clock.frozen = Math.ceil(Date.now() / 1000) * 1000;
    await db().deleteFrom('throttle_counters').execute();
  });
  afterEach(() => {
    suite.clock.frozen = undefined;
  });

  async function setUp() {
    const user = await addUser(db(), { password });
    const browser = new CookieClient(transport());
    const { accessToken } = await browser.signedIn({ email: user.email, password });
    const own = { authorization: `Bearer ${accessToken}` };
    return { user, browser, own, device: await startDeviceSignIn(transport()) };
  }
  type Given = Awaited<ReturnType<typeof setUp>>;

  const program = () => new CookieClient(transport());
  const poll = ({ deviceCode }: Pick<StartDeviceSignInResponse, 'deviceCode'>, as = program()) =>
    as.call(methods.signInWithDeviceCode, { deviceCode });
  const find = (userCode: string, own: Given['own']) =>
    transport().call(methods.findDeviceSignIn, { userCode }, own);
  const approve = (userCode: string, own: Given['own']) =>
    transport().call(methods.approveDeviceSignIn, { userCode }, own);
  const deny = (userCode: string, own: Given['own']) =>
    transport().call(methods.denyDeviceSignIn, { userCode }, own);
  const approved = async (given: Given) => {
    messageOf(await approve(given.device.userCode, given.own));
    return given.device;
  };
  const disable = async (userId: string) => {
    const staff = await managerCredential(suite.app, 'users:write');
    messageOf(await transport().call(UserService.method.disableUser, { userId }, staff));
  };

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
    const [, first] = await liveSessions(db(), given.user.id);
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
      provider_id: 'idp_test',
      provider_sid: 'sid',
      auth_time: suite.clock.now() - 1,
    };
    const all = db().updateTable('sessions').set(facts);
    await all.where('user_id', '=', given.user.id).execute();
    messageOf(await poll(await approved(given)));
    const rows = db().selectFrom('sessions').selectAll().where('user_id', '=', given.user.id);
    expect(await rows.execute()).toMatchObject([facts, facts]);
  });

  /** The outcome of the call that must fail; the sessions that exist afterwards. */
  type Attack = readonly [
    what: string,
    code: string,
    run: (given: Given) => Promise<TransportAnswer<unknown>>,
    sessions?: number,
  ];
  const attacks: readonly Attack[] = [
    [
      'the id of another client',
      'identity.credential_invalid',
      () => transport().call(methods.startDeviceSignIn, { clientId: 'evil' }),
    ],
    ['a poll without a decision', 'identity.authorization_pending', ({ device }) => poll(device)],
    [
      'a poll before the end of the interval',
      'rate_limited',
      async (given) => {
        await poll(given.device);
        await approved(given);
        wait(4);
        return poll(given.device);
      },
    ],
    [
      'an expired code',
      'identity.device_code_invalid',
      async ({ device }) => {
        wait(600);
        return poll(device);
      },
    ],
    [
      'an approved code that has expired',
      'identity.device_code_invalid',
      async (given) => {
        await approved(given);
        wait(600);
        return poll(given.device);
      },
    ],
    [
      'a denied code',
      'identity.device_sign_in_denied',
      async ({ device, own }) => {
        messageOf(await deny(device.userCode, own));
        return poll(device);
      },
    ],
    [
      'a code that was denied after its approval',
      'identity.device_sign_in_denied',
      async (given) => {
        const { userCode } = await approved(given);
        messageOf(await deny(userCode, given.own));
        return poll(given.device);
      },
    ],
    [
      'a replayed device code',
      'identity.device_code_invalid',
      async (given) => {
        messageOf(await poll(await approved(given)));
        wait(5);
        return poll(given.device);
      },
      2,
    ],
    [
      'a device code of another installation',
      'identity.device_code_invalid',
      async ({ own }) => {
        const other = await startTestApp();
        const [http] = openTransports(other.app);
        const device = http === undefined ? undefined : await startDeviceSignIn(http);
        http?.close();
        await other.remove();
        expect(codeOf(await approve(device?.userCode ?? '', own))).toBe('not_found');
        return poll({ deviceCode: device?.deviceCode ?? '' });
      },
    ],
    [
      'the digest of a device code',
      'identity.device_code_invalid',
      async (given) => poll({ deviceCode: digestOf((await approved(given)).deviceCode) }),
    ],
    [
      'an approval of a user who has signed out',
      'identity.device_code_invalid',
      async (given) => {
        await approved(given);
        messageOf(await given.browser.call(methods.signOut, {}, given.own));
        return poll(given.device);
      },
      0,
    ],
    [
      'an approval of a user who was disabled',
      'identity.device_code_invalid',
      async (given) => {
        await approved(given);
        await disable(given.user.id);
        return poll(given.device);
      },
      0,
    ],
    [
      'an approval without a recent sign-in',
      'step_up_required',
      async ({ device, user }) => {
        const authTime = suite.clock.now() / 1000 - 301;
        const token = { type: 'staff', scope: '', sub: user.id, authTime } as const;
        return approve(device.userCode, await credentialFor(suite.testApp, token));
      },
      2,
    ],
    [
      'an approval by a service client',
      'forbidden',
      async ({ device }) =>
        approve(device.userCode, await managerCredential(suite.app, 'users:write')),
    ],
    [
      'an approval after that of another user',
      'not_found',
      async (given) => {
        const other = await addUser(db());
        const token = { type: 'staff', scope: '', sub: other.id } as const;
        const own = await credentialFor(suite.testApp, token);
        messageOf(await approve(given.device.userCode, own));
        expect(codeOf(await deny(given.device.userCode, given.own))).toBe('not_found');
        expect(codeOf(await find(given.device.userCode, given.own))).toBe('not_found');
        return approve(given.device.userCode, given.own);
      },
    ],
    [
      'an approval after a denial',
      'not_found',
      async ({ device, own }) => {
        messageOf(await deny(device.userCode, own));
        return approve(device.userCode, own);
      },
    ],
    [
      'an approval of a used code',
      'not_found',
      async (given) => {
        messageOf(await poll(await approved(given)));
        return approve(given.device.userCode, given.own);
      },
      2,
    ],
    [
      'an approval of an expired code',
      'not_found',
      async ({ device, user }) => {
        wait(600);
        const authTime = suite.clock.now() / 1000;
        const token = { type: 'staff', scope: '', sub: user.id, authTime } as const;
        return approve(device.userCode, await credentialFor(suite.testApp, token));
      },
      2,
    ],
    [
      'a device code as the user code',
      'invalid_argument',
      ({ device, own }) => approve(device.deviceCode.slice(0, 32), own),
    ],
    ['an oversized device code', 'invalid_argument', () => poll({ deviceCode: 'a'.repeat(129) })],
  ];

  itHoldsFor(attacks, 20)('refuses', async (_what, code, run, sessions = 1) => {
    const given = await setUp();
    expect(codeOf(await run(given))).toBe(code);
    expect(await liveSessions(db(), given.user.id)).toHaveLength(sessions);
    suite.clock.frozen = Math.ceil(Date.now() / 1000) * 1000;
  });

  /** The first three are letters of a code if a conversion accepts them. */
  const odd = [
    ...[
      'ＢＢＢＢＢＢＢＢ',
      '\u017fBBBBBBB',
      '\u212aBBBBBBB',
      'BBBB\u2014BBBB',
      'BBBB\u0000BBBB',
      'BBBBBBB\u0301',
    ],
    ...['BBBBBBB', 'BBBBBBBBB', 'BBBBBBBA', 'BBBB-BBB1', '-', ' ', '', '%', 'B'.repeat(33)],
  ];

  itHoldsFor(odd, 15)('names the field of an unusual code, which is no guess', async (text) => {
    const own = await credentialFor(suite.testApp, { type: 'staff', scope: '' });
    for (const call of [find, approve, deny]) {
      const error = { code: 'invalid_argument', fields: ['user_code'] };
      expect(await call(text, own)).toMatchObject({ ok: false, error });
    }
    const counters = await db().selectFrom('throttle_counters').select('key').execute();
    expect(counters).toEqual([]);
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
