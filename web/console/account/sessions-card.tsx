import { Badge, Button, Group } from '@mantine/core';
import { type Session, SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { AccountCard } from './account-card.tsx';

const facts: readonly Column<Session>[] = [
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

export function SessionsCard() {
  const { confirm } = useDialogs();
  const revoke = useMethod(SessionService.method.revokeSession);
  const list = usePagedList(SessionService.method.listSessions, {}, (page) => page.sessions);
  const signOut = ({ id, address }: Session) =>
    confirm({
      title: 'Sign out this session?',
      consequence:
        `The browser that signed in from ${address} is signed out immediately. Unsaved changes ` +
        'there are lost.',
      label: 'Sign out',
      run: () => revoke({ sessionId: id }),
    });
  const actions: Column<Session> = {
    title: 'Actions',
    isTitleHidden: true,
    cell: (session) =>
      session.current ? null : (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={`Sign out session from ${session.address}`}
          onClick={() => signOut(session)}
        >
          Sign out
        </Button>
      ),
  };
  return (
    <AccountCard
      title="Sessions"
      about={
        'Browsers where you are signed in. If you do not recognize one, sign it out and change ' +
        'your password.'
      }
    >
      <Listing
        label="Sessions"
        list={list}
        columns={[...facts, actions]}
        idOf={({ id }) => id}
        empty={{ title: 'No sessions', text: 'Sign in to start a session.' }}
      />
    </AccountCard>
  );
}
