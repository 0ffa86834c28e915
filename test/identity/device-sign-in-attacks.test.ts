// Attacks on command-line sign-ins (RFC 8628 §5).
import { expect } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { digestOf } from '../../src/base/crypto/credential-format.ts';
import { describeApp } from '../support/app-suite.ts';
import { useDeviceSignIns, type Waiting } from '../support/device-sign-ins.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { liveSessions } from '../support/member-rows.ts';
import { addProvider } from '../support/provider-rows.ts';
import { casesOf, itHoldsFor, type Outcomes } from '../support/rule.ts';
import type { TransportAnswer } from '../support/transports.ts';
import { addUser } from '../support/user-rows.ts';

const methods = SessionService.method;

describeApp('an attack on a command-line sign-in', (suite) => {
  const { db, transport, wait, setUp, sessionOf, poll, find, approve, deny, approved } =
    useDeviceSignIns(suite);
  const disable = async (userId: string) => {
    const staff = await managerCredential(suite.app, 'users:write');
    messageOf(await transport().call(UserService.method.disableUser, { userId }, staff));
  };

  /** By the sessions that exist afterwards, the calls that must fail, by their error. */
  const attacks: Record<number, Outcomes<(given: Waiting) => Promise<TransportAnswer<unknown>>>> = {
    1: {
      'identity.credential_invalid': {
        'the id of another client': () =>
          transport().call(methods.startDeviceSignIn, { clientId: 'evil' }),
      },
      'identity.device_code_invalid': {
        'an expired code': async ({ device }) => {
          wait(600);
          return poll(device);
        },
        'an approved code that has expired': async (given) => {
          await approved(given);
          wait(600);
          return poll(given.device);
        },
        'the digest of a device code': async (given) =>
          poll({ deviceCode: digestOf((await approved(given)).deviceCode) }),
        'an approval through a provider that was disabled': async (given) => {
          const provider_id = await addProvider(db());
          const ofUser = db().updateTable('sessions').where('user_id', '=', given.user.id);
          await ofUser.set({ provider_id }).execute();
          await approved(given);
          await db().updateTable('identity_providers').set({ enabled: 0 }).execute();
          return poll(given.device);
        },
      },
      'identity.device_sign_in_denied': {
        'a denied code': async ({ device, own }) => {
          messageOf(await deny(device.userCode, own));
          return poll(device);
        },
        'a code that was denied after its approval': async (given) => {
          const { userCode } = await approved(given);
          messageOf(await deny(userCode, given.own));
          return poll(given.device);
        },
      },
      unauthenticated: {
        'an approval with the token of a session': ({ device, own: { authorization } }) =>
          approve(device.userCode, { authorization }),
        'an approval by a service client': async ({ device }) =>
          approve(device.userCode, await managerCredential(suite.app, 'users:write')),
      },
      not_found: {
        'an approval after that of another user': async (given) => {
          const other = await addUser(db());
          messageOf(await approve(given.device.userCode, await sessionOf(other)));
          expect(codeOf(await deny(given.device.userCode, given.own))).toBe('not_found');
          expect(codeOf(await find(given.device.userCode, given.own))).toBe('not_found');
          return approve(given.device.userCode, given.own);
        },
        'an approval after a denial': async ({ device, own }) => {
          messageOf(await deny(device.userCode, own));
          return approve(device.userCode, own);
        },
      },
      invalid_argument: {
        'a device code as the user code': ({ device, own }) =>
          approve(device.deviceCode.slice(0, 32), own),
        'an oversized device code': () => poll({ deviceCode: 'a'.repeat(129) }),
      },
    },
    2: {
      'identity.device_code_invalid': {
        'a replayed device code': async (given) => {
          messageOf(await poll(await approved(given)));
          wait(5);
          return poll(given.device);
        },
      },
      step_up_required: {
        'an approval without a recent sign-in': async ({ device, user }) =>
          approve(device.userCode, await sessionOf(user, suite.clock.now() - 301_000)),
      },
      not_found: {
        'an approval of a used code': async (given) => {
          messageOf(await poll(await approved(given)));
          return approve(given.device.userCode, given.own);
        },
        'an approval of an expired code': async ({ device, user }) => {
          wait(600);
          return approve(device.userCode, await sessionOf(user));
        },
      },
    },
    0: {
      'identity.device_code_invalid': {
        'an approval of a user who has signed out': async (given) => {
          await approved(given);
          messageOf(await given.browser.call(methods.signOut, {}, given.own));
          return poll(given.device);
        },
        'an approval of a user who was disabled': async (given) => {
          await approved(given);
          await disable(given.user.id);
          return poll(given.device);
        },
      },
    },
  };

  const cases = Object.entries(attacks).flatMap(([sessions, outcomes]) =>
    casesOf(outcomes).map(([what, code, run]) => [what, code, run, Number(sessions)] as const),
  );
  itHoldsFor(cases, 19)('is refused', async (_what, code, run, sessions) => {
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
