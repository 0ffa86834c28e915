// The mail with a link to its recipient. The console shows it before it is sent.
import { mailLine, mailName, shortName } from '../net/mail-name.ts';
import type { MailPart } from './mail-body.ts';

export type LinkMail = {
  readonly workspaceName: string;
  /** The name of the document or the folder; undefined if the link hides it. */
  readonly title: string | undefined;
  readonly isRoom: boolean;
  readonly hasPassword: boolean;
  readonly requiresCode: boolean;
  /** A text that the sender adds; may be empty. */
  readonly message: string;
  readonly url: string;
};

export function linkMailSubject({ title, isRoom }: Pick<LinkMail, 'title' | 'isRoom'>): string {
  const what = title === undefined ? (isRoom ? 'A folder' : 'A document') : shortName(title);
  return `${what} was shared with you`;
}

export function linkMailParts(mail: LinkMail): MailPart[] {
  const { workspaceName, title, isRoom, hasPassword, requiresCode, message, url } = mail;
  const kind = isRoom ? 'folder' : 'document';
  const document = title === undefined ? `a ${kind}` : `“${mailName(title)}”`;
  const code = ' The page asks for your email address and mails you a code.';
  const password = ' The page asks for a password, which the sender gives you.';
  const lines = message.trim().split(/\r\n|\r|\n/);
  return [
    {
      text:
        `${mailName(workspaceName)} shared ${document} with you.` +
        (hasPassword ? password : '') +
        (requiresCode ? code : ''),
    },
    // The frame shows which words are those of the sender.
    ...(message.trim() === ''
      ? []
      : [{ text: 'The sender wrote:' }, { quote: lines.map(mailLine) }]),
    { label: `Open the ${kind}`, url },
    { note: 'The link is for you. If you did not expect this email, ignore it.' },
  ];
}
