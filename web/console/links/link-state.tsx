/** The state and the access rules of a link as texts. */
import { timestampDate, timestampMs } from '@bufbuild/protobuf/wkt';
import { Badge } from '@mantine/core';
import { type Link, Notify } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { nameErased } from '../shared/name-erased.ts';
import { useMinuteClock } from '../shared/use-minute-clock.ts';
import { accessOf, type LinkAccess } from './link-form.ts';

type State = 'Active' | 'Expired' | 'Revoked';

const colors: Readonly<Record<State, string>> = { Active: 'teal', Expired: 'gray', Revoked: 'red' };

/** When a change reaches readers. An open viewer asks every 15 seconds whether it may go on. */
export const lossOfAccess =
  'at once for new readers, and within 20 seconds for readers who have it open';

export function hasEnded(link: Link): boolean {
  return stateOf(link) !== 'Active';
}

/** When the link expires, expired or was revoked; undefined: never. */
export const endTimeOf = ({ revokeTime, expireTime }: Link) => revokeTime ?? expireTime;

function stateOf({ revokeTime, expireTime }: Link): State {
  if (revokeTime !== undefined) return 'Revoked';
  const hasExpired = expireTime !== undefined && timestampMs(expireTime) <= Date.now();
  return hasExpired ? 'Expired' : 'Active';
}

export function LinkStateBadge({ link }: { readonly link: Link }) {
  // A link may expire while it is shown.
  useMinuteClock();
  const state = stateOf(link);
  return (
    <Badge variant="light" color={colors[state]}>
      {state}
    </Badge>
  );
}

export function endLabel(link: Link): 'Expires' | 'Expired' | 'Revoked' {
  const state = stateOf(link);
  return state === 'Active' ? 'Expires' : state;
}

export const accessLabels: Readonly<Record<LinkAccess, string>> = {
  anyone: 'Anyone with the link',
  password: 'Password required',
  email: 'Email required',
  verified: 'Verified email',
  people: 'Readers on a list',
};

/** Who can open the link, and the conditions. */
export function accessText(link: Link): string {
  const { agreementSha256, viewLimit, watermark, programAccess } = link;
  return [
    whoText(link),
    ...(agreementSha256 === '' ? [] : ['agreement']),
    ...(watermark ? ['watermark'] : []),
    ...(programAccess ? ['programs'] : []),
    ...(viewLimit === undefined ? [] : [`${viewLimit.toLocaleString()} views at most`]),
  ].join(', ');
}

function whoText(link: Link): string {
  const access = accessOf(link);
  const who = accessLabels[access];
  if (!link.passwordRequired || access === 'password') return who;
  return `Password, ${who.charAt(0).toLowerCase()}${who.slice(1)}`;
}

/** When the creator of a link gets a mail. */
export const notifyTexts: Readonly<Record<Notify, string>> = {
  [Notify.UNSPECIFIED]: 'Never',
  [Notify.FIRST_VIEW]: 'After the first view',
  [Notify.EVERY_VIEW]: 'After every view',
  [Notify.DIGEST]: 'Once a day',
};

/** The name of the link, or a text that distinguishes it from other links. */
export const linkTitle = (link: Link): string =>
  link.name === '' ? `${targetNameOf(link)} · ${distinctionOf(link)}` : nameErased(link.name);

/** The title where the document or the folder is known. */
export function linkLabel(link: Link): string {
  if (link.name !== '') return nameErased(link.name);
  // A time fits a narrow column without an ellipsis.
  return link.allowList.length === 0 ? distinctionOf(link) : `Link ${distinctionOf(link)}`;
}

/** Such as `for jane@example.com and 1 more`, or the time of the creation. */
function distinctionOf({ allowList: [first, ...others], createTime }: Link): string {
  if (first !== undefined)
    return nameErased(`for ${first}${others.length === 0 ? '' : ` and ${others.length} more`}`);
  return createTime === undefined ? '' : shortTimeText(timestampDate(createTime));
}

const timeStyle = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const;
const ofThisYear = new Intl.DateTimeFormat(undefined, timeStyle);
const ofOtherYear = new Intl.DateTimeFormat(undefined, { ...timeStyle, year: 'numeric' });

function shortTimeText(time: Date): string {
  const isThisYear = time.getFullYear() === new Date().getFullYear();
  return (isThisYear ? ofThisYear : ofOtherYear).format(time);
}

/** The name of the document or the folder that the link opens. */
export const targetNameOf = ({ documentName, folderName }: Link): string =>
  documentName || folderName;

/** Such as `3 links`. */
export const linksText = (count: number): string =>
  count === 1 ? '1 link' : `${count.toLocaleString()} links`;

/** A noun phrase for the link, with its name or that of its document or folder. */
export const linkPhrase = (link: Link): string =>
  link.name === '' ? `the link to “${targetNameOf(link)}”` : `“${nameErased(link.name)}”`;
