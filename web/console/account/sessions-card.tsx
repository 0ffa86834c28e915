import { Button } from '@mantine/core';
import { type Session, SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { sessionColumns } from '../shared/session-columns.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { AccountCard } from './account-card.tsx';

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
        columns={[...sessionColumns, actions]}
        idOf={({ id }) => id}
        empty={{ title: 'No sessions', text: 'Sign in to start a session.' }}
      />
    </AccountCard>
  );
}
