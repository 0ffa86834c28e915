// The cookies of a browser in which a user has signed in (RFC 6265bis): the session cookie, and the
// id by which the throttle recognizes the browser (OWASP, "Slow Down Online Guessing Attacks with
// Device Cookies").

import type { HandlerContext } from '@connectrpc/connect';
import { parseCookie, type SerializeOptions, serialize } from 'cookie';
import { callerOf } from '../../api/principal.ts';
import type { Clock } from '../../base/clock.ts';
import { isRandomText, type Random, randomText } from '../../base/crypto/ids.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { createSignedValues } from '../../base/crypto/signed-value.ts';

export type Cookies = {
  readonly sessionName: string;
  readSession(context: HandlerContext): string | undefined;
  writeSession(context: HandlerContext, value: string, maxAgeSeconds: number): void;
  /** The value of `Set-Cookie` that `writeSession` writes. */
  sessionHeader(value: string, maxAgeSeconds: number): string;
  clearSession(context: HandlerContext): void;
  readDevice(context: HandlerContext, email: string): string | undefined;
  writeDevice(context: HandlerContext, email: string, id: string | undefined): void;
  /** The browser in which a sign-in with a passkey was started. */
  readPasskeyBrowser(context: HandlerContext): string | undefined;
  writePasskeyBrowser(context: HandlerContext, id: string): void;
};

export type CookiesOptions = {
  readonly publicUrl: string;
  readonly keys: DerivedKeys;
  readonly random: Random;
  readonly now: Clock;
};

/** As long as the options for a passkey are valid. */
const passkeySeconds = 300;
const deviceSeconds = 90 * 24 * 60 * 60;
export const deviceMs = deviceSeconds * 1_000;

export function createCookies({ publicUrl, keys, random, now }: CookiesOptions): Cookies {
  const isSecure = publicUrl.startsWith('https:');
  // With the prefix, browsers reject the cookie from other hosts and over plain HTTP (RFC 6265bis
  // §4.1.3.2).
  const named = (name: string) => (isSecure ? `__Host-${name}` : name);
  const sessionName = named('latchkey_session');
  const deviceName = named('latchkey_device');
  const passkeyName = named('latchkey_passkey');

  function read(context: HandlerContext, name: string): string | undefined {
    return parseCookie(callerOf(context).call.header('cookie') ?? '')[name];
  }
  function headerOf(name: string, value: string, maxAge: number): string {
    const attributes: SerializeOptions = {
      path: '/',
      maxAge,
      httpOnly: true,
      sameSite: 'strict',
      secure: isSecure,
    };
    return serialize(name, value, attributes);
  }
  function write(context: HandlerContext, name: string, value: string, maxAge: number): void {
    context.responseHeader.append('set-cookie', headerOf(name, value, maxAge));
  }
  const devices = createSignedValues<string>({ keys, now });

  return {
    sessionName,
    readSession: (context) => read(context, sessionName),
    writeSession: (context, value, maxAge) => write(context, sessionName, value, maxAge),
    sessionHeader: (value, maxAge) => headerOf(sessionName, value, maxAge),
    clearSession: (context) => write(context, sessionName, '', 0),
    readDevice: (context, email) => devices.verify(read(context, deviceName), email),
    writeDevice(context, email, known) {
      const value = devices.sign(known ?? randomText(random), deviceSeconds, email);
      write(context, deviceName, value, deviceSeconds);
    },
    readPasskeyBrowser(context) {
      const id = read(context, passkeyName) ?? '';
      return isRandomText(id) ? id : undefined;
    },
    writePasskeyBrowser: (context, id) => write(context, passkeyName, id, passkeySeconds),
  };
}
