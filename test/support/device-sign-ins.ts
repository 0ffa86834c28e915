// Sign-ins of the command line, as `latchkey login --browser` and the console make them.
import { beforeEach } from 'vitest';
import {
  SessionService,
  type StartDeviceSignInResponse,
} from '../../gen/latchkey/identity/v1/session_pb.js';
import type { Suite } from './app-suite.ts';
import { CookieClient, forgetAttempts } from './cookie-client.ts';
import { messageOf } from './manager-calls.ts';
import { cookieOf } from './method-access.ts';
import type { Credential, Transport } from './transports.ts';
import { addSession, addUser } from './user-rows.ts';

const methods = SessionService.method;
const password = 'correct horse battery staple';

export async function startDeviceSignIn(transport: Transport): Promise<StartDeviceSignInResponse> {
  const request = { clientId: 'latchkey-cli' };
  return messageOf(await transport.call(methods.startDeviceSignIn, request));
}

/** Each test begins at a whole second, and without counted attempts. */
export function useDeviceSignIns(suite: Suite) {
  const db = () => suite.app.inside.db;
  const transport = () => suite.transport('connect');
  const wait = (seconds: number) => {
    suite.clock.frozen = suite.clock.now() + seconds * 1000;
  };
  forgetAttempts(suite);
  beforeEach(() => {
    suite.clock.frozen = Math.ceil(Date.now() / 1000) * 1000;
  });

  async function setUp() {
    const user = await addUser(db(), { password });
    const browser = new CookieClient(transport());
    const { accessToken } = await browser.signedIn({ email: user.email, password });
    // The console sends both.
    const cookie = cookieOf(browser.cookie('latchkey_session') ?? '');
    const own = { authorization: `Bearer ${accessToken}`, cookie };
    return { user, browser, own, device: await startDeviceSignIn(transport()) };
  }
  type Given = Awaited<ReturnType<typeof setUp>>;
  /** The cookie of a new session. */
  const sessionOf = async ({ id }: { readonly id: string }, createTime = suite.clock.now()) => {
    const { cookie } = await addSession(db(), id, { createTime });
    return { cookie: cookieOf(cookie) };
  };

  const program = () => new CookieClient(transport());
  const poll = ({ deviceCode }: Pick<StartDeviceSignInResponse, 'deviceCode'>, as = program()) =>
    as.call(methods.signInWithDeviceCode, { deviceCode });
  const find = (userCode: string, own: Credential) =>
    transport().call(methods.findDeviceSignIn, { userCode }, own);
  const approve = (userCode: string, own: Credential) =>
    transport().call(methods.approveDeviceSignIn, { userCode }, own);
  const deny = (userCode: string, own: Credential) =>
    transport().call(methods.denyDeviceSignIn, { userCode }, own);
  const approved = async (given: Given) => {
    messageOf(await approve(given.device.userCode, given.own));
    return given.device;
  };
  return { db, transport, wait, setUp, sessionOf, program, poll, find, approve, deny, approved };
}

/** A signed-in user, and a sign-in that waits. */
export type Waiting = Awaited<ReturnType<ReturnType<typeof useDeviceSignIns>['setUp']>>;
