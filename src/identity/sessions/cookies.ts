// The cookies of a browser that a user has signed in from (RFC 6265bis): of the session, and of the
// browser itself, which the throttle knows it by (OWASP, "Slow Down Online Guessing Attacks with
// Device Cookies").
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HandlerContext } from '@connectrpc/connect';
import { parseCookie, type SerializeOptions, serialize } from 'cookie';
import { callerOf } from '../../api/principal.ts';
import { base62, type Random } from '../../crypto/ids.ts';

export type Cookies = {
  /** The name of the session's cookie. */
  sessionName(): string;
  readSession(context: HandlerContext): string | undefined;
  writeSession(context: HandlerContext, value: string, maxAgeSeconds: number): void;
  clearSession(context: HandlerContext): void;
  /** The browser's id, where the user with this address has signed in from it. */
  readDevice(context: HandlerContext, email: string): string | undefined;
  /** Makes the browser known, under the id that it has or a new one. */
  writeDevice(context: HandlerContext, email: string, id: string | undefined): void;
};

export type CookiesOptions = {
  readonly publicUrl: () => string;
  /** 32 bytes: signs the browser's cookie, which has no row. */
  readonly key: Uint8Array;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

const deviceSeconds = 90 * 24 * 60 * 60;
const devicePattern = /^([0-9A-Za-z]{22})\.(\d{1,15})\.([\w-]{43})$/;

export function createCookies({ publicUrl, key, random, now }: CookiesOptions): Cookies {
  const isSecure = () => publicUrl().startsWith('https:');
  // The prefix holds other hosts and unencrypted pages off (RFC 6265bis §4.1.3.2).
  const named = (name: string) => (isSecure() ? `__Host-${name}` : name);
  const sessionName = () => named('latchkey_session');
  const deviceName = () => named('latchkey_device');

  function read(context: HandlerContext, name: string): string | undefined {
    return parseCookie(callerOf(context).call.header('cookie') ?? '')[name];
  }
  function write(context: HandlerContext, name: string, value: string, maxAge: number): void {
    const attributes: SerializeOptions = {
      path: '/',
      maxAge,
      httpOnly: true,
      sameSite: 'strict',
      secure: isSecure(),
    };
    context.responseHeader.append('set-cookie', serialize(name, value, attributes));
  }
  const seal = (id: string, seconds: string, email: string) =>
    createHmac('sha256', key).update(`${id}.${seconds}.${email}`).digest('base64url');

  return {
    sessionName,
    readSession: (context) => read(context, sessionName()),
    writeSession: (context, value, maxAge) => write(context, sessionName(), value, maxAge),
    clearSession: (context) => write(context, sessionName(), '', 0),
    readDevice(context, email) {
      const text = read(context, deviceName()) ?? '';
      const [, id, seconds = '', mac = ''] = devicePattern.exec(text) ?? [];
      if (id === undefined) return undefined;
      if (!timingSafeEqual(Buffer.from(seal(id, seconds, email)), Buffer.from(mac))) {
        return undefined;
      }
      return now() < (Number(seconds) + deviceSeconds) * 1000 ? id : undefined;
    },
    writeDevice(context, email, known) {
      const id = known ?? base62(random(16), 22);
      const seconds = String(Math.floor(now() / 1000));
      const value = `${id}.${seconds}.${seal(id, seconds, email)}`;
      write(context, deviceName(), value, deviceSeconds);
    },
  };
}
