/** The values of the form that creates and edits links. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { UseFormReturnType } from '@mantine/form';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { parseExpireTime } from '../shared/expiry-field.tsx';
import { toLocalInput } from '../shared/local-input.ts';

/** Names match the request, so that field errors of the API find their fields. */
export type LinkValues = {
  documentId: string;
  name: string;
  emailRequired: boolean;
  emailVerificationRequired: boolean;
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
  emailRequired: true,
  emailVerificationRequired: false,
  passwordChange: 'replace',
  password: '',
  expireTime: '',
  allowDownload: false,
};

export function linkValuesOf(link: Link): LinkValues {
  const { documentId, name, emailRequired, emailVerificationRequired, allowDownload } = link;
  const { expireTime } = link;
  return {
    ...{ documentId, name, emailRequired, emailVerificationRequired, allowDownload },
    passwordChange: link.passwordRequired ? 'keep' : 'replace',
    password: '',
    expireTime: expireTime === undefined ? '' : toLocalInput(timestampDate(expireTime)),
  };
}

/** The options of a create or update request. */
export function linkOptionsOf(values: LinkValues) {
  const { name, emailRequired, emailVerificationRequired, password, allowDownload } = values;
  return {
    name,
    emailRequired,
    // The API rejects verification without a required e-mail.
    emailVerificationRequired: emailRequired && emailVerificationRequired,
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
    email_required: now.emailRequired !== then.emailRequired,
    email_verification_required: now.emailVerificationRequired !== then.emailVerificationRequired,
    password: changesPassword,
    expire_time: values.expireTime !== before.expireTime,
    allow_download: now.allowDownload !== then.allowDownload,
  };
  return Object.keys(changes).filter((path) => changes[path]);
}
