// Signs a user in, and keeps the session: its cookie gets a new token every few minutes.
import type { Transport } from '@connectrpc/connect';
import {
  SessionService,
  type SignedInUser,
} from '../../../../gen/latchkey/identity/v1/session_pb.js';
import { type CommandHost, UsageError } from '../base/command.ts';
import { ask, readLines } from '../base/prompt.ts';
import { cleanText } from '../base/text.ts';
import type { ProfileCredential } from './profile.ts';
import { callUnary, cookieHeader } from './transport.ts';

export type SessionCredential = Extract<ProfileCredential, { kind: 'session' }>;

export type SignedIn = {
  readonly credential: SessionCredential;
  readonly user: SignedInUser | undefined;
  readonly tokenType: string;
  readonly scope: string;
};

export type Answers = { readonly password: string; readonly otp: string };

/** Asks for the password and the one-time code, or reads them from the lines of a pipe. */
export async function readPassword(host: CommandHost, isPiped: boolean): Promise<Answers> {
  if (isPiped) {
    const [password = '', otp = ''] = await readLines(host);
    if (password === '') throw new UsageError('The standard input has no password.');
    return { password, otp };
  }
  const password = await ask(host, 'Password: ', { isSecret: true });
  // The server does not reveal whether a user has a second factor.
  return { password, otp: await ask(host, 'One-time or recovery code (Enter if you have none): ') };
}

export type Cookies = SessionCredential['cookies'];

/** An earlier session, of which the cookies are given, ends. */
export async function signIn(
  transport: Transport,
  { email, password, otp }: Answers & { readonly email: string },
  cookies: Cookies = {},
): Promise<SignedIn> {
  const request = { email, password, otp };
  const method = SessionService.method.signIn;
  const answer = await callUnary(transport, method, request, cookieHeader(cookies));
  return sessionOf(answer.message, { email, cookies: { ...cookies, ...answer.cookies } });
}

/** Gets another token with the cookie of the session. */
export async function refreshSession(
  transport: Transport,
  { cookies, ...credential }: SessionCredential,
): Promise<SignedIn> {
  const method = SessionService.method.refreshSession;
  const answer = await callUnary(transport, method, {}, cookieHeader(cookies));
  return sessionOf(answer.message, { ...credential, cookies: { ...cookies, ...answer.cookies } });
}

type Issued = {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly expiresIn: number;
  readonly scope: string;
  readonly user?: SignedInUser | undefined;
};

export function sessionOf(
  issued: Issued,
  { email, cookies, usesBrowser }: Pick<SessionCredential, 'email' | 'cookies' | 'usesBrowser'>,
): SignedIn {
  const live = Object.entries(cookies).filter(([, value]) => value !== '');
  return {
    credential: {
      kind: 'session',
      email: cleanText(issued.user?.email ?? email),
      cookies: Object.fromEntries(live),
      token: issued.accessToken,
      expireMs: Date.now() + issued.expiresIn * 1000,
      usesBrowser,
    },
    user: issued.user,
    tokenType: issued.tokenType,
    scope: issued.scope,
  };
}
