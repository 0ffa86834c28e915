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
    cell: ({ createTime, current }) => (
      <Group gap="xs">
        <DateTime time={createTime} />
        {current ? <Badge variant="light">This session</Badge> : null}
      </Group>
    ),
  },
  { title: 'From', cell: ({ address }) => <span className="mono">{address}</span> },
  {
    title: 'With',
    cell: ({ amr }) => (amr.includes('otp') ? 'Password and one-time code' : 'Password'),
  },
  { title: 'Last used', cell: ({ refreshTime }) => <DateTime time={refreshTime} /> },
  { title: 'Ends', cell: ({ expireTime }) => <DateTime time={expireTime} /> },
];

export function SessionsCard() {
  const { confirm } = useDialogs();
  const revoke = useMethod(SessionService.method.revokeSession);
  const list = usePagedList(SessionService.method.listSessions, {}, (page) => page.sessions);
  const end = ({ id, address }: Session) =>
    confirm({
      title: 'End this session?',
      consequence:
        `The browser that signed in from ${address} is signed out at once, and what was begun ` +
        'there and not saved is lost. It can sign in again.',
      label: 'End session',
      run: () => revoke({ sessionId: id }),
    });
  const actions: Column<Session> = {
    title: 'Actions',
    isTitleHidden: true,
    cell: (session) =>
      session.current ? null : (
        <Button size="compact-sm" variant="default" onClick={() => end(session)}>
          End
        </Button>
      ),
  };
  return (
    <AccountCard
      title="Sessions"
      about={
        'The browsers in which you are signed in. Where you do not know one, end its session and ' +
        'change your password.'
      }
    >
      <Listing
        label="Sessions"
        list={list}
        columns={[...facts, actions]}
        idOf={({ id }) => id}
        empty={{ title: 'No sessions', text: 'Sign in again to begin one.' }}
      />
    </AccountCard>
  );
}
