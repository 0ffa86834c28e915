// Hands mails over to an SMTP server.
import { createTransport } from 'nodemailer';
import type { SmtpSettings } from '../config/mail.ts';
import { fail } from '../errors/errors.ts';
import type { OpenMailer } from './mailer.ts';
import { createMessage, type MessageOptions } from './message.ts';

export type SmtpOptions = MessageOptions & {
  readonly server: SmtpSettings;
  /** The time limit for a mail, including the wait for a connection. */
  readonly timeoutMs?: number;
  readonly pendingMax?: number;
};

const connectionsMax = 3;
const idleMs = 30_000;
const retryAfterSeconds = 30;

const tlsOptions = {
  tls: { secure: true },
  starttls: { secure: false, requireTLS: true },
  // Mail to the same machine needs no encryption. A local server that insists on it often has a
  // certificate without a matching name.
  local: { secure: false, tls: { rejectUnauthorized: false } },
} as const;

export function connectionOptions(
  { host, port, encryption, login }: SmtpSettings,
  timeoutMs: number,
) {
  return {
    host,
    port,
    ...tlsOptions[encryption],
    // If the URL has a login, no mail is sent without it.
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  };
}

export function createSmtpMailer(options: SmtpOptions): OpenMailer {
  const { server, timeoutMs = 15_000, pendingMax = 100 } = options;
  const transport = createTransport({
    pool: true,
    ...connectionOptions(server, timeoutMs),
    maxConnections: connectionsMax,
    maxRequeues: 1,
    idleTimeout: idleMs,
  });
  // Each failure rejects its own mail.
  transport.on('error', () => {});
  let pending = 0;

  return {
    async send(mail) {
      const message = createMessage(mail, options);
      if (pending >= pendingMax) {
        throw fail('unavailable', 'Too many mails are being sent.', { retryAfterSeconds });
      }
      pending++;
      try {
        await transport.sendMail({ ...message, signal: AbortSignal.timeout(timeoutMs) });
      } catch (error) {
        const cause = new Error(`the mail was not handed over: ${smtpReasonOf(error)}`);
        throw fail('unavailable', 'The mail cannot be sent.', {
          cause,
          retryAfterSeconds,
        });
      } finally {
        pending--;
      }
    },
    stop() {
      transport.close({ force: true });
    },
  };
}

const facts = ['code', 'originalCode', 'command', 'responseCode'] as const;

/** The code of an error. Its message could repeat an address or other data. */
export function smtpReasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const known = new Map<string, unknown>(Object.entries(error));
  const found = facts.flatMap((name) => {
    const value = String(known.get(name) ?? '');
    return /^[\w ]{1,50}$/.test(value) ? [`${name} ${value}`] : [];
  });
  return found.join(', ') || error.name;
}
