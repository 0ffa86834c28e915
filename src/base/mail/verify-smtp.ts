// Checks an SMTP server without sending a mail: connection, TLS and login.
import { createTransport } from 'nodemailer';
import type { SmtpSettings } from '../config/mail.ts';
import { connectionOptions, smtpReasonOf } from './smtp.ts';

const verifyMs = 10_000;

const reasons: Readonly<Record<string, string>> = {
  EAUTH: 'the server refuses the login',
  ETLS: 'there is no valid encryption',
  ETIMEDOUT: 'the server does not answer',
};

const remedies: Readonly<Record<string, string>> = {
  EAUTH: 'check the user and the password in LATCHKEY_SMTP_URL',
  ETLS: 'the server must offer STARTTLS with a valid certificate, or use smtps://',
};
const otherRemedy = 'check LATCHKEY_SMTP_URL and the server';

export async function verifySmtp(server: SmtpSettings): Promise<string | undefined> {
  const transport = createTransport(connectionOptions(server, verifyMs));
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    return (
      `${reasons[code] ?? 'the server is not reachable'} (${smtpReasonOf(error)}); ` +
      `${remedies[code] ?? otherRemedy}`
    );
  } finally {
    transport.close();
  }
}
