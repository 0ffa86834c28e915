import { type Session, SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { endColumn, sessionColumns } from '../shared/session-columns.tsx';
import { useMethod } from '../shared/use-method.ts';
import { AccountCard } from './account-card.tsx';

const sessions = defineList({
  label: 'Sessions',
  method: SessionService.method.listSessions,
  rows: (page) => page.sessions,
  columns: [...sessionColumns, endColumn(undefined, useSignOut)],
});

function useSignOut() {
  const { confirm } = useDialogs();
  const revoke = useMethod(SessionService.method.revokeSession);
  return ({ id, address }: Session) =>
    confirm({
      title: 'Sign out this session?',
      consequence:
        `The browser that signed in from ${address} is signed out immediately. Unsaved changes ` +
        'there are lost.',
      label: 'Sign out',
      run: () => revoke({ sessionId: id }),
    });
}

export function SessionsCard() {
  return (
    <AccountCard
      title="Sessions"
      about={
        'Browsers where you’re signed in. If you don’t recognize one, sign it out and change ' +
        'your password.'
      }
    >
      <Listing
        list={useList(sessions, {})}
        empty={{ title: 'No sessions', text: 'Sign in to start a session.' }}
      />
    </AccountCard>
  );
}
