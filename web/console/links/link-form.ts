/** The values of the form that creates and edits links. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { FormRulesRecord, UseFormReturnType } from '@mantine/form';
import { type Link, Notify } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { parseExpireTime } from '../shared/expiry-field.tsx';
import { toLocalInput } from '../shared/local-input.ts';
import { splitWords } from '../shared/split-words.ts';
import { pathsOfChanges } from '../shared/update-mask.ts';
import { readersError } from './read-readers.ts';

/** Who can open a link. */
export const accesses = ['anyone', 'password', 'email', 'verified', 'people'] as const;

export type LinkAccess = (typeof accesses)[number];

export const isLinkAccess = (text: string): text is LinkAccess =>
  accesses.some((access) => access === text);

/** Names match the request, so that field errors of the API find their fields. */
export type LinkValues = {
  /** Empty for a link to a folder. */
  documentId: string;
  folderId: string;
  name: string;
  access: LinkAccess;
  /** Email addresses and domains, for `people`. */
  allowList: string;
  /** Whether each address of `allowList` gets another link. */
  isForEach: boolean;
  mailRecipient: boolean;
  /** A text that the mails to the recipients quote; may be empty. */
  mailMessage: string;
  blockList: string;
  agreement: string;
  /** The maximum number of views; empty for no limit. */
  viewLimit: string;
  /** The number of the `Notify` value. */
  notify: string;
  showTitle: boolean;
  /** The number of a version; `0` for the current one. */
  pinnedVersion: string;
  passwordChange: 'keep' | 'replace' | 'remove';
  /** A new password; empty for none. */
  password: string;
  /** A `datetime-local` value. */
  expireTime: string;
  allowDownload: boolean;
  watermark: boolean;
  programAccess: boolean;
};

export type LinkForm = UseFormReturnType<LinkValues>;

export const newLinkValues: LinkValues = {
  documentId: '',
  folderId: '',
  name: '',
  access: 'email',
  allowList: '',
  isForEach: false,
  mailRecipient: false,
  mailMessage: '',
  blockList: '',
  agreement: '',
  viewLimit: '',
  notify: String(Notify.UNSPECIFIED),
  showTitle: true,
  pinnedVersion: '0',
  passwordChange: 'replace',
  password: '',
  expireTime: '',
  allowDownload: false,
  watermark: false,
  programAccess: false,
};

export function linkValuesOf(link: Link): LinkValues {
  const { documentId, folderId, name, allowDownload, watermark, showTitle } = link;
  const { agreement, expireTime, programAccess } = link;
  return {
    ...newLinkValues,
    ...{ documentId, folderId, name, allowDownload, watermark, showTitle, agreement },
    programAccess,
    access: accessOf(link),
    allowList: link.allowList.join('\n'),
    blockList: link.blockList.join('\n'),
    viewLimit: link.viewLimit === undefined ? '' : String(link.viewLimit),
    notify: String(link.notify),
    pinnedVersion: String(link.pinnedVersion),
    passwordChange: link.passwordRequired ? 'keep' : 'replace',
    expireTime: expireTime === undefined ? '' : toLocalInput(timestampDate(expireTime)),
  };
}

const notifyOf = (text: string): Notify =>
  notifies.find((value) => String(value) === text) ?? Notify.UNSPECIFIED;

export const notifies = [
  Notify.UNSPECIFIED,
  Notify.FIRST_VIEW,
  Notify.EVERY_VIEW,
  Notify.DIGEST,
] as const;

export function accessOf(link: Link): LinkAccess {
  if (link.allowList.length > 0) return 'people';
  const access = emailAccessOf(link);
  return access === 'anyone' && link.passwordRequired ? 'password' : access;
}

type EmailRules = {
  readonly emailRequired: boolean;
  readonly emailVerificationRequired: boolean;
};

export function emailAccessOf({ emailRequired, emailVerificationRequired }: EmailRules) {
  if (emailVerificationRequired) return 'verified';
  return emailRequired ? 'email' : 'anyone';
}

/** The checks of the form. `hasPassword`: whether the link has one already. */
export const linkRules = (hasPassword: boolean): FormRulesRecord<LinkValues> => ({
  documentId: (id, { folderId }) =>
    id === '' && folderId === '' ? 'Choose a document or a folder.' : null,
  allowList: (text, { access, isForEach }) => {
    if (access !== 'people') return null;
    // An empty list would let everyone in.
    if (splitWords(text).length === 0) return 'Enter at least one address or domain.';
    return readersError(text, { permitsDomains: !isForEach });
  },
  blockList: (text, values) => (emailRulesOf(values).emailRequired ? readersError(text) : null),
  password: (password, { access, passwordChange }) => {
    if (passwordChange !== 'replace' || password !== '') return null;
    // An empty password would remove the current one.
    if (hasPassword) return 'Enter a new password.';
    return access === 'password' ? 'Enter a password.' : null;
  },
  viewLimit: (text) => (/^(?:[1-9]\d*)?$/.test(text) ? null : 'Enter a number, or nothing.'),
});

/** Whether the gate asks for an email address, and whether it verifies it. */
export function emailRulesOf({ access, agreement }: LinkValues) {
  const isVerified = access === 'verified' || access === 'people' || agreement !== '';
  return {
    emailRequired: isVerified || access === 'email',
    emailVerificationRequired: isVerified,
  };
}

/** The options of a create or update request. */
export function linkOptionsOf(values: LinkValues) {
  const { name, access, agreement, viewLimit, allowDownload, watermark, showTitle } = values;
  const { programAccess } = values;
  const emailRules = emailRulesOf(values);
  const isReplaced = values.passwordChange === 'replace' && access !== 'anyone';
  return {
    ...{ name, agreement, allowDownload, watermark, programAccess, showTitle, ...emailRules },
    allowList: access === 'people' ? splitWords(values.allowList) : [],
    // Readers without an email address cannot be blocked.
    blockList: emailRules.emailRequired ? splitWords(values.blockList) : [],
    notify: notifyOf(values.notify),
    pinnedVersion: Number(values.pinnedVersion),
    password: isReplaced ? values.password : '',
    ...(viewLimit === '' ? {} : { viewLimit: Number(viewLimit) }),
    ...parseExpireTime(values.expireTime),
  };
}

/** One request for each address of the list, which the link is then limited to. */
export function recipientBatch(values: LinkValues, target: RequestTarget) {
  const { allowList, agreement, ...options } = linkOptionsOf(values);
  const { mailRecipient } = values;
  const requests = allowList.map((recipient) => ({
    ...{ ...target, ...options, recipient, mailRecipient },
  }));
  // The service refuses a blank text.
  return { requests, agreement, mailMessage: mailRecipient ? values.mailMessage.trim() : '' };
}

type RequestTarget = { readonly documentId: string; readonly folderId: string };

/** The paths of the changed values, for the update mask. */
export function updateMaskPaths(values: LinkValues, before: LinkValues): string[] {
  // The form knows no current password.
  const fieldsOf = (form: LinkValues) => {
    return { ...linkOptionsOf(form), expireTime: form.expireTime, password: '' };
  };
  const removesPassword = values.access === 'anyone' || values.passwordChange === 'remove';
  const hasNewPassword =
    linkOptionsOf(values).password !== '' || (before.passwordChange === 'keep' && removesPassword);
  const paths = pathsOfChanges(fieldsOf(values), fieldsOf(before));
  return hasNewPassword ? [...paths, 'password'] : paths;
}
