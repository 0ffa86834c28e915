/** What a link is like, in words. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Badge } from '@mantine/core';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';

type State = 'Open' | 'Expired' | 'Revoked';

const colors: Readonly<Record<State, string>> = { Open: 'teal', Expired: 'gray', Revoked: 'red' };

function stateOf({ revokeTime, expireTime }: Link): State {
  if (revokeTime !== undefined) return 'Revoked';
  const hasExpired = expireTime !== undefined && timestampMs(expireTime) <= Date.now();
  return hasExpired ? 'Expired' : 'Open';
}

export function StateBadge({ link }: { readonly link: Link }) {
  const state = stateOf(link);
  return (
    <Badge variant="light" color={colors[state]}>
      {state}
    </Badge>
  );
}

/** What the link asks for before it shows the document. */
export function gateOf(link: Link): string {
  const email = link.emailVerificationRequired ? 'proven e-mail address' : 'e-mail address';
  const asked = [
    ...(link.passwordRequired ? ['password'] : []),
    ...(link.emailRequired ? [email] : []),
  ];
  return asked.length === 0 ? 'nothing' : asked.join(', ');
}

/** What to call the link in a sentence, where its name is all that is known. */
export const calledOf = ({ name }: Link) => (name === '' ? 'this link' : `“${name}”`);
