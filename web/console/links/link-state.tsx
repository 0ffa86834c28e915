/** What a link is like, in words. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Badge } from '@mantine/core';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';

type State = 'Live' | 'Expired' | 'Revoked';

const colors: Readonly<Record<State, string>> = { Live: 'teal', Expired: 'gray', Revoked: 'red' };

export function hasEnded(link: Link): boolean {
  return stateOf(link) !== 'Live';
}

/** When it has ended or will; undefined for never. */
export const endTimeOf = ({ revokeTime, expireTime }: Link) => revokeTime ?? expireTime;

function stateOf({ revokeTime, expireTime }: Link): State {
  if (revokeTime !== undefined) return 'Revoked';
  const hasExpired = expireTime !== undefined && timestampMs(expireTime) <= Date.now();
  return hasExpired ? 'Expired' : 'Live';
}

export function LinkStateBadge({ link }: { readonly link: Link }) {
  const state = stateOf(link);
  return (
    <Badge variant="light" color={colors[state]}>
      {state}
    </Badge>
  );
}

/** What the link asks for before it shows the document. */
export function accessText(link: Link): string {
  const email = link.emailVerificationRequired ? 'proven e-mail address' : 'e-mail address';
  const asked = [
    ...(link.passwordRequired ? ['password'] : []),
    ...(link.emailRequired ? [email] : []),
  ];
  return asked.length === 0 ? 'nothing' : asked.join(', ');
}

/** What to call the link in a sentence: by its name, or by that of its document. */
export function linkInSentence({ name }: Link, documentName: string | undefined): string {
  if (name !== '') return `“${name}”`;
  return documentName === undefined ? 'this link' : `the link to “${documentName}”`;
}
