// The recipients of links, and the mails to them.
import { requirePlainText } from '../../api/fields.ts';
import { type Clock, minuteMs } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { linkMailParts, linkMailSubject } from '../../base/mail/link-mail.ts';
import { admits } from '../../base/net/address-lists.ts';
import { mailboxOf, readEmail } from '../../base/net/email.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema/schema.ts';
import { createThrottle, steadyLimit, type ThrottleLimit } from '../../storage/throttle.ts';
import type { Brands } from '../brand/brand.ts';
import type { Domains } from '../domains/domains.ts';
import type { ComposeMail, ReaderMails } from '../reader-mails/reader-mails.ts';
import { findMailedLink } from './store.ts';

const mailboxMax = 10;

const limits = {
  // One mailbox in all workspaces, so that it is not flooded.
  mailbox: steadyLimit(mailboxMax, 10 * minuteMs),
  // Three full batches at once, then 8,640 mails a day.
  workspace: steadyLimit(600, 10_000),
} as const satisfies Record<string, ThrottleLimit>;

/** Returns an empty text if there is no recipient. Throws `invalid_argument`. */
export function readRecipient(text: string, isMailed: boolean): string {
  if (text === '' && isMailed)
    throw invalid('mail_recipient', 'must be set together with recipient');
  if (text === '') return '';
  const email = readEmail(text);
  if (email === undefined) throw invalid('recipient', 'must be an email address');
  return email;
}

type MailRequest = { readonly mailRecipient: boolean; readonly mailMessage: string };

export function checkMailMessage({ mailRecipient, mailMessage }: MailRequest): void {
  if (mailMessage === '') return;
  if (!mailRecipient) throw invalid('mail_message', 'must be set together with mail_recipient');
  requirePlainText('mail_message', mailMessage);
}

export type MailToRecipient = { readonly link: LinkRow; readonly message: string };

/** Throws if the lists of a link refuse its recipient. */
export function checkRecipient({ recipient, allow_list, block_list }: LinkRow): void {
  if (recipient === '') return;
  const reader = { email: recipient, emailVerified: true };
  if (!admits({ allow_list: '', block_list }, reader)) {
    throw invalid('block_list', 'must not contain the recipient');
  }
  if (!admits({ allow_list, block_list: '' }, reader)) {
    throw invalid('allow_list', 'must contain the recipient');
  }
}

export type RecipientMails = {
  /** Adds the mails of new links. Throws `rate_limited`; the caller must roll back. */
  add(trx: Executor, mailed: readonly MailToRecipient[]): Promise<void>;
};

export type RecipientMailOptions = {
  readonly db: Database;
  readonly mails: Pick<ReaderMails, 'add'>;
  readonly keys: DerivedKeys;
  readonly now: Clock;
};

export function createRecipientMails(options: RecipientMailOptions): RecipientMails {
  const { mails } = options;
  const { counter, countIn } = createThrottle({ ...options, limits, refusal: tooMany });
  return {
    async add(trx, mailed) {
      const counters = mailed.flatMap(({ link: { workspace_id, recipient } }) => [
        counter('mailbox', mailboxOf(recipient)),
        counter('workspace', workspace_id),
      ]);
      await countIn(trx, counters);
      const added = mailed.map(({ link, message }) => ({ targetId: link.id, message }));
      await mails.add(trx, added);
    },
  };
}

/** Returns a function that throws for a mail of a batch that the limit never permits. */
export function createMailboxCheck(): (recipient: string) => void {
  const counts = new Map<string, number>();
  return (recipient) => {
    const mailbox = mailboxOf(recipient);
    const count = (counts.get(mailbox) ?? 0) + 1;
    counts.set(mailbox, count);
    if (count <= mailboxMax) return;
    const rule = `must not be one of more than ${mailboxMax} mailed addresses of one mailbox`;
    throw invalid('recipient', `${rule}: a+b@example.com counts as a@example.com`);
  };
}

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many links were mailed.', { retryAfterSeconds });

type ComposerOptions = {
  readonly db: Database;
  readonly brands: Brands;
  readonly urlOf: Domains['urlOf'];
  readonly now: Clock;
};

/** Composes the mail with a link to its recipient, unless the link has ended. */
export function linkMailComposer({ db, brands, urlOf, now }: ComposerOptions): ComposeMail {
  return async (id, message) => {
    const link = await findMailedLink(db, id);
    if (link === undefined || link.revoke_time !== null) return undefined;
    if (link.expire_time !== null && link.expire_time <= now()) return undefined;
    const brand = await brands.of(link.workspace_id);
    const mail = {
      workspaceName: brand.workspaceName,
      title: link.show_title === 1 ? link.target_name : undefined,
      isRoom: link.document_id === null,
      hasPassword: link.password_hash !== null,
      requiresCode: link.email_verification_required === 1,
      message,
      url: urlOf(link),
    };
    const subject = linkMailSubject(mail);
    return { to: link.recipient, subject, ...brands.renderMail(brand, linkMailParts(mail)) };
  };
}
