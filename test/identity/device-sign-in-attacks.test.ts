// Attacks on command-line sign-ins (RFC 8628 §5).
import { expect } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { digestOf } from '../../src/base/crypto/credential-format.ts';
import { describeApp } from '../support/app-suite.ts';
import { startDeviceSignIn, useDeviceSignIns, type Waiting } from '../support/device-sign-ins.ts';
import { startTestApp } from '../support/harness.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { liveSessions } from '../support/member-rows.ts';
import { addProvider } from '../support/provider-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { openTransports, type TransportAnswer } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

const methods = SessionService.method;

describeApp('an attack on a command-line sign-in', (suite) => {
  const { db, transport, wait, setUp, sessionOf, poll, find, approve, deny, approved } =
    useDeviceSignIns(suite);
  const disable = async (userId: string) => {
    const staff = await managerCredential(suite.app, 'users:write');
    messageOf(await transport().call(UserService.method.disableUser, { userId }, staff));
  };

  /** The outcome of the call that must fail; the sessions that exist afterwards. */
  type Attack = readonly [
    what: string,
    code: string,
    run: (given: Waiting) => Promise<TransportAnswer<unknown>>,
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
      'an approval through a provider that was disabled',
      'identity.device_code_invalid',
      async (given) => {
        const provider_id = await addProvider(db());
        const ofUser = db().updateTable('sessions').where('user_id', '=', given.user.id);
        await ofUser.set({ provider_id }).execute();
        await approved(given);
        await db().updateTable('identity_providers').set({ enabled: 0 }).execute();
        return poll(given.device);
      },
    ],
    [
      'an approval without a recent sign-in',
      'step_up_required',
      async ({ device, user }) =>
        approve(device.userCode, await sessionOf(user, suite.clock.now() - 301_000)),
      2,
    ],
    [
      'an approval with the token of a session',
      'unauthenticated',
      ({ device, own: { authorization } }) => approve(device.userCode, { authorization }),
    ],
    [
      'an approval by a service client',
      'unauthenticated',
      async ({ device }) =>
        approve(device.userCode, await managerCredential(suite.app, 'users:write')),
    ],
    [
      'an approval after that of another user',
      'not_found',
      async (given) => {
        const other = await addUser(db());
        messageOf(await approve(given.device.userCode, await sessionOf(other)));
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
        return approve(device.userCode, await sessionOf(user));
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

  itHoldsFor(attacks, 22)('is refused', async (_what, code, run, sessions = 1) => {
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

  itHoldsFor(odd, 15)(
    'names the field of a malformed code, and does not count it as a guess',
    async (text) => {
      const own = await sessionOf(await addUser(db()));
      for (const call of [find, approve, deny]) {
        const error = { code: 'invalid_argument', fields: ['user_code'] };
        expect(await call(text, own)).toMatchObject({ ok: false, error });
      }
      const counters = await db().selectFrom('throttle_counters').select('key').execute();
      expect(counters).toEqual([]);
    },
  );
});
