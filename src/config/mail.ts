// The settings of mail, read from their texts.
import { isIP } from 'node:net';
import { readEmail } from '../net/email.ts';

/**
 * `tls`: from the start. `starttls`: demanded before anything else is said. `local`: the server is
 * on this machine, which decides.
 */
type Encryption = 'tls' | 'starttls' | 'local';

export type SmtpSettings = {
  readonly host: string;
  readonly port: number;
  readonly encryption: Encryption;
  readonly login: { readonly user: string; readonly password: string } | undefined;
};

export type Sender = {
  /** Empty where the address stands alone. */
  readonly name: string;
  readonly address: string;
};

const schemes: Record<string, { readonly encryption: Encryption; readonly port: number }> = {
  'smtp:': { encryption: 'starttls', port: 587 },
  'smtps:': { encryption: 'tls', port: 465 },
};

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** Throws an Error that says what the text should be. */
export function readSmtpUrl(text: string): SmtpSettings {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const scheme = schemes[url?.protocol ?? ''];
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isBare = url !== undefined && /^\/?$/.test(url.pathname) && !/[?#]/.test(text);
  if (scheme === undefined || host === '' || !isBare) {
    throw new Error('must be smtp://[<user>:<password>@]<host>[:<port>], or smtps://…');
  }
  const port = Number(url.port) || scheme.port;
  if (scheme.encryption === 'starttls' && port === schemes['smtps:']?.port) {
    throw new Error('must be smtps://…, as that port is for TLS from the start');
  }
  const isLocal = scheme.encryption === 'starttls' && loopback.test(host);
  const encryption = isLocal ? 'local' : scheme.encryption;
  return { host, port, encryption, login: readLogin(url.username, url.password) };
}

function readLogin(user: string, password: string): SmtpSettings['login'] {
  if (user === '' && password === '') return undefined;
  try {
    const login = { user: decodeURIComponent(user), password: decodeURIComponent(password) };
    if (login.user !== '' && login.password !== '') return login;
  } catch {
    // Told below.
  }
  throw new Error('must be with both a user and a password, percent-encoded, or with neither');
}

const senderPattern = /^(?:"?([^"<>\p{Cc}]{0,100}?)"?\s*<([^<>]+)>|([^<>\s]+))$/u;

/** Reads `<name> <address>`, or an address alone. Throws an Error that says what it should be. */
export function readSender(text: string): Sender {
  const [, name = '', inBrackets, alone] = senderPattern.exec(text.trim()) ?? [];
  const address = inBrackets ?? alone ?? '';
  if (readEmail(address) === undefined) {
    throw new Error('must be an e-mail address, or a name and an address in angle brackets');
  }
  return { name, address };
}

/** The sender of an origin that names a domain; undefined for an IP address or a bare host. */
export function senderOf(origin: string | undefined): Sender | undefined {
  const host = origin === undefined ? '' : new URL(origin).hostname;
  const address = `no-reply@${host}`;
  const isDomain = isIP(host) === 0 && readEmail(address) !== undefined;
  return isDomain ? { name: 'Latchkey', address } : undefined;
}

/** Good enough for a server on this machine, and for files. */
export const localSender: Sender = { name: 'Latchkey', address: 'no-reply@localhost' };
