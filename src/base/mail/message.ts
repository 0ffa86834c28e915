// Converts a mail to the options of nodemailer, which composes the message (RFC 5322).

import type { SendMailOptions } from 'nodemailer';
import type { Clock } from '../clock.ts';
import type { Sender } from '../config/mail.ts';
import { type Random, randomText } from '../crypto/ids.ts';
import { readEmail } from '../net/email.ts';
import type { Mail } from './mailer.ts';

export type MessageOptions = {
  readonly from: Sender;
  readonly random: Random;
  readonly now: Clock;
};

/** Throws if `to` is not a single address. */
export function createMessage(mail: Mail, { from, random, now }: MessageOptions): SendMailOptions {
  if (readEmail(mail.to) === undefined) throw new Error('a mail goes to a single address');
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    from: { name: from.name, address: from.address },
    to: { name: '', address: mail.to },
    subject: withoutEncodedWords(mail.subject),
    text: mail.text,
    ...(mail.html === undefined ? {} : { html: mail.html }),
    textEncoding: 'quoted-printable',
    date: new Date(now()),
    messageId: `<${randomText(random)}@${domain}>`,
    // Prevents out-of-office replies (RFC 3834 §5).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** nodemailer keeps an encoded word (RFC 2047), which mail programs would decode. */
const withoutEncodedWords = (subject: string) => subject.replaceAll('=?', '= ?');
