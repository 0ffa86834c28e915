// The mails to users about changes of their password, address and factors, and about new devices,
// so that a user notices a takeover.

import { type MailPart, type MailSender, renderMail } from '../../base/mail/mail-body.ts';
import type { Mail } from '../../base/mail/mailer.ts';
import { mailAddress } from '../../base/net/mail-name.ts';
import { mailTime } from '../../base/net/mail-time.ts';

export type SecurityEvent =
  | 'password'
  | 'email'
  | 'factorAdded'
  | 'factorRemoved'
  | 'recoveryCodes'
  | 'recoveryCodeUsed'
  | 'newDevice'
  | 'passkeyAdded'
  | 'passkeyRemoved'
  | 'identityLinked';

type SecurityFacts = {
  readonly event: SecurityEvent;
  readonly email: string;
  readonly oldEmail: string | undefined;
  readonly time: number;
  readonly network: string;
  readonly actor: string | undefined;
  readonly publicUrl: string;
};

export function securityNotice(to: string, facts: SecurityFacts): Mail {
  const { event, email, oldEmail, time, network, actor, publicUrl } = facts;
  const { subject, text, remedy } = notices[event];
  const addresses =
    oldEmail === undefined
      ? [`Account: ${mailAddress(email)}`]
      : [`Old address: ${mailAddress(oldEmail)}`, `New address: ${mailAddress(email)}`];
  const lines = [
    ...addresses,
    `Service: ${publicUrl}`,
    `Time: ${mailTime(time)}`,
    `Network: ${network}`,
    ...(actor === undefined ? [] : [`By: ${actor}`]),
  ];
  const parts: MailPart[] = [{ text }, { lines }, { text: remedy }];
  // The link that resets a password goes to the new address.
  if (event !== 'email') {
    parts.push({ label: 'Set a new password', url: `${publicUrl}/console/forgot-password` });
  }
  return { to, subject, ...renderMail(sender, parts) };
}

const sender: MailSender = { name: 'Latchkey', colors: undefined, logoUrl: '' };

type NoticeText = { readonly subject: string; readonly text: string; readonly remedy: string };

const reset =
  'If this was not you, set a new password now: it ends all sessions. Then tell an administrator.';

const notices: Readonly<Record<SecurityEvent, NoticeText>> = {
  password: {
    subject: 'Your password was changed',
    text: 'The password of your account was changed. Other sessions were signed out.',
    remedy: reset,
  },
  email: {
    subject: 'Your email address was changed',
    text: 'The email address of your account was changed.',
    remedy:
      'If you did not expect this, tell an administrator at once: the new address can receive a ' +
      'link to set a new password.',
  },
  factorAdded: {
    subject: 'An authenticator app was added',
    text: 'An authenticator app was added to your account. Each sign-in now asks for its code.',
    remedy: `${reset} The administrator can remove the app.`,
  },
  factorRemoved: {
    subject: 'Your authenticator app was removed',
    text:
      'The authenticator app and the recovery codes were removed from your account. A sign-in ' +
      'now needs the password only.',
    remedy: `${reset} Add your authenticator app again.`,
  },
  recoveryCodes: {
    subject: 'You have new recovery codes',
    text: 'New recovery codes were created for your account. Earlier codes no longer work.',
    remedy: `${reset} Create new codes in “Your account”.`,
  },
  recoveryCodeUsed: {
    subject: 'A recovery code was used',
    text: 'Someone signed in to your account with your password and a recovery code.',
    remedy: `${reset} Create new codes in “Your account”.`,
  },
  identityLinked: {
    subject: 'Your account was linked',
    text: 'You signed in with an account of an identity provider. It is now linked to your user.',
    remedy: 'If this was not you, tell an administrator at once.',
  },
  passkeyAdded: {
    subject: 'A passkey was added',
    text: 'A passkey was added to your account. It replaces your password at a sign-in.',
    remedy: 'If this was not you, tell an administrator at once, who can delete the passkey.',
  },
  passkeyRemoved: {
    subject: 'A passkey was deleted',
    text: 'A passkey of your account was deleted. It can no longer sign you in.',
    remedy: reset,
  },
  newDevice: {
    subject: 'New sign-in to your account',
    text: 'Someone signed in to your account on a new device or in a new browser.',
    remedy: reset,
  },
};
