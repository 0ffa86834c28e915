/** Sums up in one sentence what a reader of a link meets. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { formatDateTime } from '../shared/date-time.tsx';

export type LinkRules = {
  readonly emailRequired: boolean;
  readonly emailVerificationRequired: boolean;
  /** Whether only readers on a list can open it. */
  readonly isLimited: boolean;
  /** Whether each of them has a different link. */
  readonly isForEach?: boolean;
  readonly passwordRequired: boolean;
  readonly hasAgreement: boolean;
  /** The maximum number of views; undefined for no limit. */
  readonly viewLimit: number | undefined;
  readonly allowDownload: boolean;
  readonly watermark: boolean;
  /** False if the viewer cannot show the document; undefined if not known. */
  readonly isShown?: boolean | undefined;
  /** Whether it opens a folder. */
  readonly isRoom: boolean;
  /** Undefined: never; an invalid date is ignored. */
  readonly expires: Date | undefined;
};

type LinkSummaryOptions = Pick<LinkRules, 'isShown' | 'isForEach'>;

export const linkSummary = (link: Link, options: LinkSummaryOptions): string =>
  summarizeRules({
    ...link,
    ...options,
    viewLimit: link.viewLimit,
    hasAgreement: link.agreementSha256 !== '',
    isRoom: link.folderId !== '',
    isLimited: link.allowList.length > 0,
    expires: link.expireTime === undefined ? undefined : timestampDate(link.expireTime),
  });

/** Such as `Readers enter their email address, then they can read the document.` */
export function summarizeRules(rules: LinkRules): string {
  const { viewLimit, expires } = rules;
  const hasEnd = expires !== undefined && !Number.isNaN(expires.getTime());
  const end = hasEnd ? ` until ${formatDateTime(expires)}` : '';
  const limit =
    viewLimit === undefined ? '' : `, ${viewLimit} ${viewLimit === 1 ? 'time' : 'times'} in total`;
  const actions = `${actionsOf(rules)}${end}${limit}.`;
  const steps = stepsOf(rules);
  if (steps === '') return `Anyone with the link can ${actions}`;
  if (rules.isForEach === true) {
    return `Each reader has a different link. They ${steps}, then they can ${actions}`;
  }
  const who = rules.isLimited ? 'The readers on the list' : 'Readers';
  return `${who} ${steps}, then they can ${actions}`;
}

function actionsOf({ allowDownload, watermark, isShown, isRoom }: LinkRules): string {
  if (isShown === false && allowDownload) return 'download the file';
  const what = isRoom ? 'the documents of the folder' : 'the document';
  const how = watermark ? ' with a watermark' : '';
  return `${allowDownload ? 'read and download' : 'read'} ${what}${how}`;
}

function stepsOf(rules: LinkRules): string {
  const steps = [
    ...(rules.passwordRequired ? ['enter the password'] : []),
    ...(rules.emailRequired ? ['enter their email address'] : []),
    ...(rules.emailVerificationRequired ? ['confirm it with a code from an email'] : []),
    ...(rules.hasAgreement ? ['accept the agreement'] : []),
  ];
  const last = steps.pop();
  if (last === undefined) return '';
  return steps.length === 0 ? last : `${steps.join(', ')} and ${last}`;
}
