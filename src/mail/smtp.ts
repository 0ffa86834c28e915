// Hands mails over to an SMTP server.
import { createTransport } from 'nodemailer';
import type { SmtpSettings } from '../config/mail.ts';
import { fail } from '../errors/errors.ts';
import type { OpenMailer } from './mailer.ts';
import { type MessageOptions, messageOf } from './message.ts';

export type SmtpOptions = MessageOptions & {
  readonly server: SmtpSettings;
  /** How long a mail may take, its wait for a connection included. */
  readonly timeoutMs?: number;
  /** Mails under way at a time, those that wait for a connection included. */
  readonly pendingMax?: number;
};

const connectionsMax = 3;
const idleMs = 30_000;
const retryAfterSeconds = 30;

const tlsOptions = {
  tls: { secure: true },
  starttls: { secure: false, requireTLS: true },
  // What stays on the machine needs no encryption; a server that insists on it often has a
  // certificate that names nobody.
  local: { secure: false, tls: { rejectUnauthorized: false } },
} as const;

export function createSmtpMailer(options: SmtpOptions): OpenMailer {
  const { server, timeoutMs = 15_000, pendingMax = 100 } = options;
  const { host, port, encryption, login } = server;
  const transport = createTransport({
    pool: true,
    host,
    port,
    ...tlsOptions[encryption],
    // With a login, nothing is sent without one.
    ...(login && { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    maxConnections: connectionsMax,
    maxRequeues: 1,
    idleTimeout: idleMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  });
  // Each failure reaches the mail that it concerns.
  transport.on('error', () => {});
  let pending = 0;

  return {
    async send(mail) {
      const message = messageOf(mail, options);
      if (pending >= pendingMax) {
        throw fail('unavailable', 'Too many mails are under way.', { retryAfterSeconds });
      }
      pending++;
      try {
        await transport.sendMail({ ...message, signal: AbortSignal.timeout(timeoutMs) });
      } catch (error) {
        const cause = new Error(`the mail was not handed over: ${reasonOf(error)}`);
        throw fail('unavailable', 'The mail cannot be sent right now.', {
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

/** What is known by its form: a message may repeat an address, or what else was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const known = new Map<string, unknown>(Object.entries(error));
  const told = facts.flatMap((name) => {
    const value = String(known.get(name) ?? '');
    return /^[\w ]{1,50}$/.test(value) ? [`${name} ${value}`] : [];
  });
  return told.join(', ') || error.name;
}
