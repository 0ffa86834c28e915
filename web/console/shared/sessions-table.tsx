/** The sessions of a user. Only other sessions than the one in use can be ended here. */
import { Badge, Button, Group } from '@mantine/core';
import type { Session } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { DateTime } from './date-time.tsx';
import { type Column, Listing, type ListingProps } from './listing.tsx';

export type SessionsTableProps = Pick<ListingProps<Session>, 'list' | 'empty'> & {
  /** Asks for a confirmation, then ends the session. Absent if not permitted. */
  readonly end?: (session: Session) => void;
};

export function SessionsTable({ list, empty, end }: SessionsTableProps) {
  return (
    <Listing
      label="Sessions"
      list={list}
      columns={end === undefined ? columns : [...columns, endColumn(end)]}
      idOf={({ id }) => id}
      empty={empty}
    />
  );
}

const columns: readonly Column<Session>[] = [
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

const endColumn = (end: (session: Session) => void): Column<Session> => ({
  title: 'Actions',
  isTitleHidden: true,
  cell: (session) =>
    session.current ? null : (
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        aria-label={`Sign out session from ${session.address}`}
        onClick={() => end(session)}
      >
        Sign out
      </Button>
    ),
});
