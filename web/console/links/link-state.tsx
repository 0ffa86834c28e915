/** The state and the access rules of a link as texts. */
import { timestampDate, timestampMs } from '@bufbuild/protobuf/wkt';
import { Badge } from '@mantine/core';
import { type Link, Notify } from '../../../gen/latchkey/sharing/v1/link_pb.js';

type State = 'Active' | 'Expired' | 'Revoked';

const colors: Readonly<Record<State, string>> = { Active: 'teal', Expired: 'gray', Revoked: 'red' };

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

/** Who can open the link. */
export function accessText({
  passwordRequired,
  emailRequired,
  emailVerificationRequired,
  allowList,
}: Link): string {
  if (allowList.length > 0)
    return passwordRequired ? 'Password and specific people' : 'Specific people';
  const email = emailVerificationRequired ? 'verified email' : 'email';
  if (passwordRequired) return emailRequired ? `Password and ${email}` : 'Password required';
  if (!emailRequired) return 'Anyone with the link';
  return emailVerificationRequired ? 'Verified email required' : 'Email required';
}

/** When the creator of a link gets a mail. */
export const notifyTexts: Readonly<Record<Notify, string>> = {
  [Notify.UNSPECIFIED]: 'Never',
  [Notify.FIRST_VIEW]: 'After the first view',
  [Notify.EVERY_VIEW]: 'After every view',
  [Notify.DIGEST]: 'Once a day',
};

/** The name of the link, or a text that distinguishes it from other links. */
export function linkTitle(link: Link): string {
  if (link.name !== '') return link.name;
  const [first, ...others] = link.allowList;
  const rest = others.length === 0 ? '' : ` and ${others.length} more`;
  const created =
    link.createTime === undefined ? '' : shortTimeText(timestampDate(link.createTime));
  const fact = first === undefined ? created : `for ${first}${rest}`;
  return `${link.documentName} · ${fact}`;
}

const timeStyle = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' } as const;
const ofThisYear = new Intl.DateTimeFormat(undefined, timeStyle);
const ofOtherYear = new Intl.DateTimeFormat(undefined, { ...timeStyle, year: 'numeric' });

function shortTimeText(time: Date): string {
  const isThisYear = time.getFullYear() === new Date().getFullYear();
  return (isThisYear ? ofThisYear : ofOtherYear).format(time);
}

/** A noun phrase for the link, with its name or the name of its document. */
export function linkPhrase({ name, documentName }: Link): string {
  return name === '' ? `the link to “${documentName}”` : `“${name}”`;
}
