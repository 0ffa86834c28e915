// The settings for mail.
import { isIP } from 'node:net';
import { readEmail } from '../net/email.ts';
import type { ValueType } from './values.ts';

/**
 * `tls`: encrypts from the start. `starttls`: requires encryption before the login and the mail.
 * `local`: the server is on this machine, and encryption is optional.
 */
type Encryption = 'tls' | 'starttls' | 'local';

export type SmtpSettings = {
  readonly host: string;
  readonly port: number;
  readonly encryption: Encryption;
  readonly login: { readonly user: string; readonly password: string } | undefined;
};

export type Sender = {
  readonly name: string;
  readonly address: string;
};

const schemes: Record<string, { readonly encryption: Encryption; readonly port: number }> = {
  'smtp:': { encryption: 'starttls', port: 587 },
  'smtps:': { encryption: 'tls', port: 465 },
};

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

export const smtpUrl: ValueType<SmtpSettings> = {
  expected: '`smtp://[<user>:<password>@]<host>[:<port>]`, or `smtps://…`',
  read(text) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const scheme = schemes[url?.protocol ?? ''];
    const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
    const isBare = url !== undefined && /^\/?$/.test(url.pathname) && !/[?#]/.test(text);
    if (scheme === undefined || host === '' || !isBare) return undefined;
    const port = Number(url.port) || scheme.port;
    if (scheme.encryption === 'starttls' && port === schemes['smtps:']?.port) {
      throw new Error('must be smtps://…, because this port is for TLS from the start');
    }
    const isLocal = scheme.encryption === 'starttls' && loopback.test(host);
    const encryption = isLocal ? 'local' : scheme.encryption;
    return { host, port, encryption, login: readLogin(url.username, url.password) };
  },
};

function readLogin(user: string, password: string): SmtpSettings['login'] {
  if (user === '' && password === '') return undefined;
  try {
    const login = { user: decodeURIComponent(user), password: decodeURIComponent(password) };
    if (login.user !== '' && login.password !== '') return login;
  } catch {
    // The error is thrown below.
  }
  throw new Error(
    'must be a URL with both a user and a password, percent-encoded, or with neither',
  );
}

const senderPattern = /^(?:"?([^"<>\p{Cc}]{0,100}?)"?\s*<([^<>]+)>|([^<>\s]+))$/u;

export const sender: ValueType<Sender> = {
  expected: 'an email address, or a name and an address in angle brackets',
  read(text) {
    const [, name = '', inBrackets, alone] = senderPattern.exec(text.trim()) ?? [];
    const address = inBrackets ?? alone ?? '';
    return readEmail(address) === undefined ? undefined : { name, address };
  },
};

/** Undefined for the origin of an IP address or a host without dots. */
export function senderOf(origin: string | undefined): Sender | undefined {
  const host = origin === undefined ? '' : new URL(origin).hostname;
  const address = `no-reply@${host}`;
  const isDomain = isIP(host) === 0 && readEmail(address) !== undefined;
  return isDomain ? { name: 'Latchkey', address } : undefined;
}

export const localSender: Sender = { name: 'Latchkey', address: 'no-reply@localhost' };
