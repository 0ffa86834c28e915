/** The values of the form that creates and edits links. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { UseFormReturnType } from '@mantine/form';
import { type Link, Notify } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { parseExpireTime } from '../shared/expiry-field.tsx';
import { toLocalInput } from '../shared/local-input.ts';
import { splitWords } from '../shared/split-words.ts';

/** Who can open a link. */
export type LinkAccess = 'anyone' | 'email' | 'verified' | 'people';

const accesses: readonly string[] = ['anyone', 'email', 'verified', 'people'];

export const isLinkAccess = (text: string): text is LinkAccess => accesses.includes(text);

/** Names match the request, so that field errors of the API find their fields. */
export type LinkValues = {
  documentId: string;
  name: string;
  access: LinkAccess;
  /** Email addresses and domains, for `people`. */
  allowList: string;
  blockList: string;
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
};

export type LinkForm = UseFormReturnType<LinkValues>;

export const newLinkValues: LinkValues = {
  documentId: '',
  name: '',
  access: 'email',
  allowList: '',
  blockList: '',
  notify: String(Notify.UNSPECIFIED),
  showTitle: true,
  pinnedVersion: '0',
  passwordChange: 'replace',
  password: '',
  expireTime: '',
  allowDownload: false,
};

export function linkValuesOf(link: Link): LinkValues {
  const { documentId, name, allowDownload, expireTime } = link;
  return {
    ...{ documentId, name, allowDownload },
    access: accessOf(link),
    allowList: link.allowList.join('\n'),
    blockList: link.blockList.join('\n'),
    notify: String(link.notify),
    showTitle: link.showTitle,
    pinnedVersion: String(link.pinnedVersion),
    passwordChange: link.passwordRequired ? 'keep' : 'replace',
    password: '',
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

function accessOf({ emailRequired, emailVerificationRequired, allowList }: Link): LinkAccess {
  if (allowList.length > 0) return 'people';
  if (!emailRequired) return 'anyone';
  return emailVerificationRequired ? 'verified' : 'email';
}

/** The error of an empty list of people, which would let everyone in. */
export const validateAllowList = (text: string, { access }: LinkValues): string | null =>
  access === 'people' && text.trim() === '' ? 'Enter at least one address or domain.' : null;

/** The options of a create or update request. */
export function linkOptionsOf(values: LinkValues) {
  const { name, access, password, allowDownload, showTitle } = values;
  const asksForEmail = access !== 'anyone';
  return {
    name,
    emailRequired: asksForEmail,
    emailVerificationRequired: access === 'verified' || access === 'people',
    allowList: access === 'people' ? splitWords(values.allowList) : [],
    // Readers without an email address cannot be blocked.
    blockList: asksForEmail ? splitWords(values.blockList) : [],
    notify: notifyOf(values.notify),
    showTitle,
    pinnedVersion: Number(values.pinnedVersion),
    password: values.passwordChange === 'replace' ? password : '',
    allowDownload,
    ...parseExpireTime(values.expireTime),
  };
}

/** The update mask: the paths of changed values. */
export function updateMaskPaths(values: LinkValues, before: LinkValues): string[] {
  const [now, then] = [linkOptionsOf(values), linkOptionsOf(before)];
  const changesPassword =
    values.passwordChange === 'replace' ? values.password !== '' : values.passwordChange !== 'keep';
  const changes: Readonly<Record<string, boolean>> = {
    name: now.name !== then.name,
    allow_list: now.allowList.join() !== then.allowList.join(),
    block_list: now.blockList.join() !== then.blockList.join(),
    notify: now.notify !== then.notify,
    pinned_version: now.pinnedVersion !== then.pinnedVersion,
    show_title: now.showTitle !== then.showTitle,
    email_required: now.emailRequired !== then.emailRequired,
    email_verification_required: now.emailVerificationRequired !== then.emailVerificationRequired,
    password: changesPassword,
    expire_time: values.expireTime !== before.expireTime,
    allow_download: now.allowDownload !== then.allowDownload,
  };
  return Object.keys(changes).filter((path) => changes[path]);
}
