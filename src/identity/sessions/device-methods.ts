// Signing in on the command line through a browser (RFC 8628). The program shows a user code. A
// signed-in user enters it in the console and approves. The program gets a session of that user.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { callerOf, userOf } from '../../api/principal.ts';
import { approvalReason } from '../../audit/approval-reason.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { digestOf } from '../../base/crypto/credential-format.ts';
import { newId } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import { transact } from '../../storage/database.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import { lockUserRow } from '../../storage/queries/users.ts';
import type { DeviceSignInRow, Executor, SessionRow } from '../../storage/schema/schema.ts';
import type { Cookies } from './cookies.ts';
import {
  newDeviceCode,
  newUserCode,
  parseUserCode,
  showUserCode,
} from './device-sign-ins/codes.ts';
import {
  decideDeviceSignIn,
  findByDeviceCode,
  findByUserCode,
  hasDeviceSignIns,
  insertDeviceSignIn,
  recordPoll,
  useDeviceSignIn,
} from './device-sign-ins/store.ts';
import type { NetworkThrottle } from './network-throttle.ts';
import { isLiveSession, shortenUserAgent } from './session.ts';
import type { SessionStarter } from './start-session.ts';
import { findSession, lockEnabledProvider } from './store.ts';
import { browserNames } from './user-agent.ts';

const lifetimeSeconds = 600;
/** The longest time until the expiry, with 5 minutes for a clock that differs. */
export const deviceSignInMsMax = (lifetimeSeconds + 300) * 1000;
const intervalSeconds = 5;
const intervalMs = intervalSeconds * 1000;

/** The only client. It is public: everyone can use its id (RFC 8628 §5.6). */
const commandLineId = 'latchkey-cli';

/** Bounds the table. The throttle lets one site (a /48) start about 560 in ten minutes. */
const signInsMax = 10_000;

export type DeviceMethodOptions = ManagementOptions & {
  readonly cookies: Cookies;
  readonly publicUrl: string;
  /** Counts every start. */
  readonly deviceStartThrottle: NetworkThrottle;
  /** Device codes cannot be guessed. This bounds the work for one network. */
  readonly deviceCodeThrottle: NetworkThrottle;
  /** Slows down guesses of user codes (RFC 8628 §5.1). */
  readonly userCodeThrottle: NetworkThrottle;
};

type StartingMethods = Pick<ServiceImpl<typeof SessionService>, 'startDeviceSignIn'>;

type FinishingMethods = Pick<ServiceImpl<typeof SessionService>, 'signInWithDeviceCode'>;

type DecidingMethods = Pick<
  ServiceImpl<typeof SessionService>,
  'findDeviceSignIn' | 'approveDeviceSignIn' | 'denyDeviceSignIn'
>;

export function createDeviceMethods(
  options: DeviceMethodOptions,
  starter: SessionStarter,
): StartingMethods & FinishingMethods & DecidingMethods {
  return {
    ...createStart(options),
    ...createFinish(options, starter),
    ...createDecisions(options),
  };
}

function createStart(options: DeviceMethodOptions): StartingMethods {
  const { db, publicUrl, deviceStartThrottle, random, now } = options;
  return {
    async startDeviceSignIn({ clientId }, context) {
      if (clientId !== commandLineId) throw wrongClient();
      const { call } = callerOf(context);
      await deviceStartThrottle.count(call.peer);
      if (await hasDeviceSignIns(db, signInsMax, now())) throw tooManyWaiting();
      const deviceCode = newDeviceCode(random);
      const created: Omit<DeviceSignInRow, 'user_code'> = {
        id: newId('dsi', random),
        digest: digestOf(deviceCode),
        state: 'pending',
        address: call.peer,
        user_agent: shortenUserAgent(call.header('user-agent')),
        create_time: now(),
        expire_time: now() + lifetimeSeconds * 1000,
        last_poll_time: null,
        session_id: null,
      };
      let userCode = newUserCode(random);
      const insert = () =>
        transact(db, (trx) => insertDeviceSignIn(trx, { ...created, user_code: userCode }));
      while (!(await insert())) userCode = newUserCode(random);
      const shown = showUserCode(userCode);
      const page = `${publicUrl}/console/device`;
      return {
        ...{ deviceCode, userCode: shown },
        verificationUri: page,
        verificationUriComplete: `${page}#${shown}`,
        ...{ expiresIn: lifetimeSeconds, interval: intervalSeconds },
      };
    },
  };
}

function createFinish(
  { db, cookies, deviceCodeThrottle, now }: DeviceMethodOptions,
  { start }: SessionStarter,
): FinishingMethods {
  /** Returns the sign-in of a device code that has not expired, and counts the call. */
  async function poll(deviceCode: string, peer: string): Promise<DeviceSignInRow> {
    const found = await findByDeviceCode(db, digestOf(deviceCode));
    if (found === undefined || !isOpen(found, now())) {
      await deviceCodeThrottle.count(peer);
      throw invalidCode();
    }
    const time = now();
    // A flood of early calls costs reads but no writes.
    if (isEarly(found, time)) throw tooEarly(found, time);
    const row = await transact(db, (trx) => recordPoll(trx, found.id, time, intervalMs));
    if (row === undefined) throw tooEarly(found, time);
    return row;
  }

  /** Throws if the approval does not count any more. */
  async function settle(trx: Executor, id: string, approving: SessionRow) {
    const { id: sessionId, user_id, provider_id } = approving;
    if (provider_id !== null && !(await lockEnabledProvider(trx, provider_id))) throw invalidCode();
    const user = await lockUserRow(trx, user_id);
    if (user === undefined || user.disable_time !== null) throw invalidCode();
    const session = await lockRow(trx, 'sessions', 'id', sessionId);
    if (session === undefined || !isLiveSession(session, now())) throw invalidCode();
    if (!(await useDeviceSignIn(trx, id))) throw invalidCode();
  }

  return {
    async signInWithDeviceCode({ deviceCode }, context) {
      const { id, state, session_id } = await poll(deviceCode, callerOf(context).call.peer);
      if (state === 'pending') throw stillPending();
      if (state === 'denied') throw denied();
      const approving = state === 'approved' ? await findSession(db, session_id ?? '') : undefined;
      if (approving === undefined) throw invalidCode();
      const { session, user } = approving;
      return start(context, {
        user,
        amr: session.amr,
        device: cookies.readDevice(context, user.email),
        authTime: session.auth_time ?? session.create_time,
        ...(session.provider_id === null
          ? {}
          : { provider: { id: session.provider_id, sid: session.provider_sid ?? undefined } }),
        settle: (trx) => settle(trx, id, session),
      });
    },
  };
}

function createDecisions(options: DeviceMethodOptions): DecidingMethods {
  const { db, auditLog, userCodeThrottle, now } = options;

  /** A wrong code counts as an attempt of the network and of the user. */
  async function findOpen(text: string, context: HandlerContext) {
    const code = parseUserCode(text);
    const { call } = callerOf(context);
    const attempt = await userCodeThrottle.count(call.peer, userOf(context).userId);
    const row = await findByUserCode(db, code);
    if (row === undefined || !isOpen(row, now())) throw noSuchSignIn();
    return { row, attempt };
  }

  async function decide(state: 'approved' | 'denied', userCode: string, context: HandlerContext) {
    const { row, attempt } = await findOpen(userCode, context);
    const { userId, sessionId } = userOf(context);
    const reason = () => (state === 'approved' ? approvalReason(row.address) : '');
    await auditLog.change(context, { target: userId, reason }, async (trx) => {
      if (!(await decideDeviceSignIn(trx, row.id, state, sessionId))) throw noSuchSignIn();
      await attempt.takeBack(trx);
    });
    return {};
  }

  return {
    async findDeviceSignIn({ userCode }, context) {
      const { row, attempt } = await findOpen(userCode, context);
      if (row.state !== 'pending') throw noSuchSignIn();
      await transact(db, (trx) => attempt.takeBack(trx));
      return {
        createTime: timestampFromMs(row.create_time),
        expireTime: timestampFromMs(row.expire_time),
        address: row.address,
        ...browserNames(row.user_agent),
        userCode: showUserCode(row.user_code),
      };
    },
    approveDeviceSignIn: ({ userCode }, context) => decide('approved', userCode, context),
    denyDeviceSignIn: ({ userCode }, context) => decide('denied', userCode, context),
  };
}

/** A row that expires later than any new one was created while the clock was ahead. */
function isOpen({ expire_time }: DeviceSignInRow, now: number): boolean {
  return now < expire_time && expire_time <= now + deviceSignInMsMax;
}

/** A time in the future was set while the clock was ahead. */
function isEarly({ last_poll_time }: DeviceSignInRow, now: number): boolean {
  return last_poll_time !== null && last_poll_time <= now && now < last_poll_time + intervalMs;
}

function wrongClient() {
  const detail = `must be ${commandLineId}`;
  const fields = [{ field: 'client_id', detail }];
  return fail('identity.credential_invalid', `client_id: ${detail}`, { fields });
}

const tooManyWaiting = () =>
  fail('unavailable', 'Too many command-line sign-ins are waiting for approval.', {
    retryAfterSeconds: 60,
  });

/** Another call may have been recorded in the meantime. */
const tooEarly = (row: DeviceSignInRow, now: number) =>
  fail('rate_limited', 'The call came too early. Add 5 seconds to the interval between calls.', {
    retryAfterSeconds: isEarly(row, now)
      ? Math.ceil(((row.last_poll_time ?? now) + intervalMs - now) / 1000)
      : intervalSeconds,
  });

const stillPending = () =>
  fail('identity.authorization_pending', 'The user has not approved the sign-in yet.');

const denied = () => fail('identity.device_sign_in_denied', 'The user denied the sign-in.');

const invalidCode = () =>
  fail(
    'identity.device_code_invalid',
    'The code of the sign-in is wrong, expired or used, or its approval no longer counts. ' +
      'Start again.',
  );

const noSuchSignIn = () =>
  fail('not_found', 'No sign-in waits for this code. It may be wrong, expired or used.', {
    // Guesses are recorded.
    reason: 'no sign-in waits for the code',
  });
