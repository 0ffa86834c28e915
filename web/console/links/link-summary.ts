/** Sums up in words what a reader of a link sees. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { formatDateTime } from '../shared/date-time.tsx';

export type LinkRules = {
  readonly emailRequired: boolean;
  readonly emailVerificationRequired: boolean;
  /** Whether only people on a list can open it. */
  readonly isLimited: boolean;
  readonly passwordRequired: boolean;
  readonly allowDownload: boolean;
  /** False if the viewer cannot show the document; undefined if not known. */
  readonly isShown?: boolean | undefined;
  /** Undefined: never; an invalid date is ignored. */
  readonly expires: Date | undefined;
};

/** `isShown`: whether the viewer can show the document. */
export const linkSummary = (link: Link, isShown: boolean | undefined): string =>
  summarizeRules({
    ...link,
    isShown,
    isLimited: link.allowList.length > 0,
    expires: link.expireTime === undefined ? undefined : timestampDate(link.expireTime),
  });

/** Such as `Readers enter their email address, then they can read the document.` */
export function summarizeRules(rules: LinkRules): string {
  const { allowDownload, isShown, expires } = rules;
  const readers = allowDownload ? 'read and download the document' : 'read the document';
  const actions = isShown === false && allowDownload ? 'download the file' : readers;
  const hasEnd = expires !== undefined && !Number.isNaN(expires.getTime());
  const end = hasEnd ? ` until ${formatDateTime(expires)}` : '';
  const steps = stepsOf(rules);
  if (steps === '') return `Anyone with the link can ${actions}${end}.`;
  const who = rules.isLimited ? 'The people on the list' : 'Readers';
  return `${who} ${steps}. Then they can ${actions}${end}.`;
}

function stepsOf(rules: LinkRules): string {
  const { emailRequired, emailVerificationRequired, passwordRequired } = rules;
  const steps = [
    ...(passwordRequired ? ['enter the password'] : []),
    ...(emailRequired ? ['enter their email address'] : []),
    ...(emailRequired && emailVerificationRequired ? ['confirm it with a code from an email'] : []),
  ];
  const last = steps.pop();
  if (last === undefined) return '';
  return steps.length === 0 ? last : `${steps.join(', ')} and ${last}`;
}
