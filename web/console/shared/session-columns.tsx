/** The columns of sessions. Only other sessions than the one in use can be ended here. */
import { Badge, Button, Group } from '@mantine/core';
import type { Session } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { DateTime } from './date-time.tsx';
import type { Column } from './lists/define-list.ts';

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
  {
    title: 'Browser',
    cell: ({ browser, device }) => [browser, device].filter(Boolean).join(' on ') || '—',
  },
  { title: 'IP address', cell: ({ address }) => <span className="mono">{address}</span> },
  {
    title: 'Method',
    cell: ({ amr, providerId }) => {
      if (providerId !== '') return 'Company account';
      // The methods that the session proves later follow those of the sign-in.
      if (amr[0] !== 'pwd' && amr.includes('user')) return 'Passkey';
      return amr.includes('otp') ? 'Password and code' : 'Password';
    },
  },
  {
    title: 'Last used',
    orderBy: 'refresh_time',
    isNewestFirst: true,
    cell: ({ refreshTime }) => <DateTime time={refreshTime} />,
  },
  { title: 'Expires', cell: ({ expireTime }) => <DateTime time={expireTime} /> },
];

/** Ends the session after a confirmation. */
export const endColumn = (
  scope: string | undefined,
  useEnd: () => (session: Session) => void,
): Column<Session> => ({
  title: 'Actions',
  isTitleHidden: true,
  ...(scope === undefined ? {} : { scope }),
  cell: (session) => (session.current ? null : <EndButton session={session} useEnd={useEnd} />),
});

type EndButtonProps = {
  readonly session: Session;
  readonly useEnd: () => (session: Session) => void;
};

function EndButton({ session, useEnd }: EndButtonProps) {
  const end = useEnd();
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-label={`Sign out session from ${session.address}`}
      onClick={() => end(session)}
    >
      Sign out
    </Button>
  );
}
