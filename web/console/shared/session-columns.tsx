import { Badge, Group } from '@mantine/core';
import type { Session } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { DateTime } from './date-time.tsx';
import type { Column } from './listing.tsx';

/** The columns of a list of sessions, without the actions. */
export const sessionColumns: readonly Column<Session>[] = [
  {
    title: 'Signed in',
    orderBy: 'create_time',
    isNewestFirst: true,
    cell: ({ createTime, current }) => (
      <Group gap="xs">
        <DateTime time={createTime} />
        {current ? <Badge variant="light">This session</Badge> : null}
      </Group>
    ),
  },
  { title: 'IP address', cell: ({ address }) => <span className="mono">{address}</span> },
  {
    title: 'Method',
    cell: ({ amr }) => (amr.includes('otp') ? 'Password and code' : 'Password'),
  },
  {
    title: 'Last used',
    orderBy: 'refresh_time',
    isNewestFirst: true,
    cell: ({ refreshTime }) => <DateTime time={refreshTime} />,
  },
  { title: 'Expires', cell: ({ expireTime }) => <DateTime time={expireTime} /> },
];
