/** What a form about a link holds: one form for those that create and those that change it. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { UseFormReturnType } from '@mantine/form';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { expiryOf } from '../shared/expiry-field.tsx';
import { toLocalInput } from '../shared/local-input.ts';

/** Named as in the requests, so that the service's words find their fields. */
export type LinkValues = {
  documentId: string;
  name: string;
  emailRequired: boolean;
  emailVerificationRequired: boolean;
  /** What becomes of a password that the link has. */
  passwordChange: 'keep' | 'replace' | 'remove';
  /** A new password; empty for none. */
  password: string;
  /** As its field holds it. */
  expireTime: string;
  allowDownload: boolean;
};

export type LinkForm = UseFormReturnType<LinkValues>;

export const newLink: LinkValues = {
  documentId: '',
  name: '',
  emailRequired: true,
  emailVerificationRequired: false,
  passwordChange: 'replace',
  password: '',
  expireTime: '',
  allowDownload: false,
};

export function valuesOf(link: Link): LinkValues {
  const { documentId, name, emailRequired, emailVerificationRequired, allowDownload } = link;
  const { expireTime } = link;
  return {
    ...{ documentId, name, emailRequired, emailVerificationRequired, allowDownload },
    passwordChange: link.passwordRequired ? 'keep' : 'replace',
    password: '',
    expireTime: expireTime === undefined ? '' : toLocalInput(timestampDate(expireTime)),
  };
}

/** The options as both requests take them. */
export function optionsOf(values: LinkValues) {
  const { name, emailRequired, emailVerificationRequired, password, allowDownload } = values;
  return {
    name,
    emailRequired,
    // An address that is not asked for cannot be proven.
    emailVerificationRequired: emailRequired && emailVerificationRequired,
    password: values.passwordChange === 'replace' ? password : '',
    allowDownload,
    ...expiryOf(values.expireTime),
  };
}

/** The paths of an update's mask: of what is another than it was. */
export function updateMaskPaths(values: LinkValues, before: LinkValues): string[] {
  const [now, then] = [optionsOf(values), optionsOf(before)];
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
