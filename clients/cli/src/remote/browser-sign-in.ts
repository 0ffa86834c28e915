// Signs in through a browser (RFC 8628): a user approves the sign-in in the console of the server.
import type { Transport } from '@connectrpc/connect';
import {
  SessionService,
  type StartDeviceSignInResponse,
} from '../../../../gen/latchkey/identity/v1/session_pb.js';
import { latchkeyErrorOf } from '../../../client/src/errors.ts';
import { CommandError, type CommandHost } from '../base/command.ts';
import { pause, untilInterrupted } from '../base/signals.ts';
import { cleanText } from '../base/text.ts';
import { type Cookies, type SignedIn, sessionOf } from './sign-in.ts';
import { callUnary, cookieHeader } from './transport.ts';

const clientId = 'latchkey-cli';

/**
 * The interval if the server names none. Also the increase after a call that was too early (RFC
 * 8628 §3.2, §3.5).
 */
const intervalMsMin = 5000;

/** An earlier session, of which the cookies are given, ends. */
export async function signInWithBrowser(
  host: CommandHost,
  transport: Transport,
  cookies: Cookies = {},
): Promise<SignedIn> {
  const { startDeviceSignIn } = SessionService.method;
  return untilInterrupted(host, async (signal) => {
    const { message } = await callUnary(transport, startDeviceSignIn, { clientId }, {}, signal);
    const { userCode, verificationUri, verificationUriComplete } = message;
    host.stderr.write(
      'Open this address in a browser, and approve the sign-in:\n\n' +
        `  ${cleanText(verificationUriComplete || verificationUri)}\n\n` +
        `The page must show the code ${cleanText(userCode)}. Waiting for your approval.\n`,
    );
    return waitForApproval(message, { host, transport, cookies, signal });
  });
}

type Waiting = {
  readonly host: CommandHost;
  readonly transport: Transport;
  readonly cookies: Cookies;
  readonly signal: AbortSignal;
};

async function waitForApproval(
  { deviceCode, expiresIn, interval }: StartDeviceSignInResponse,
  { host, transport, cookies, signal }: Waiting,
): Promise<SignedIn> {
  const { signInWithDeviceCode: method } = SessionService.method;
  let intervalMs = interval * 1000 || intervalMsMin;
  let leftMs = expiresIn * 1000;
  while (leftMs > 0) {
    await pause(host, intervalMs, signal);
    leftMs -= intervalMs;
    try {
      const headers = cookieHeader(cookies);
      const answer = await callUnary(transport, method, { deviceCode }, headers, signal);
      const all = { ...cookies, ...answer.cookies };
      return sessionOf(answer.message, { email: '', cookies: all, usesBrowser: true });
    } catch (error) {
      intervalMs = nextIntervalMs(error, intervalMs);
    }
  }
  throw new CommandError('The sign-in was not approved in time.', undefined, 'access');
}

/** Throws the error unless a later call can succeed. */
function nextIntervalMs(error: unknown, intervalMs: number): number {
  const { code, retryAfterSeconds = 0 } = latchkeyErrorOf(error);
  switch (code) {
    case 'identity.authorization_pending':
      return intervalMs;
    case 'rate_limited':
      return Math.max(intervalMs + intervalMsMin, retryAfterSeconds * 1000);
    // RFC 8628 §3.5 recommends an exponential backoff.
    case 'unavailable':
    case 'connection_failed':
      return Math.max(intervalMs * 2, retryAfterSeconds * 1000);
    default:
      throw error;
  }
}
