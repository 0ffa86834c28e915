/** What a link is like, in words. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Badge } from '@mantine/core';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';

type State = 'open' | 'expired' | 'revoked';

const colors: Readonly<Record<State, string>> = { open: 'green', expired: 'gray', revoked: 'red' };

export function stateOf({ revokeTime, expireTime }: Link): State {
  if (revokeTime !== undefined) return 'revoked';
  const hasExpired = expireTime !== undefined && timestampMs(expireTime) <= Date.now();
  return hasExpired ? 'expired' : 'open';
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
