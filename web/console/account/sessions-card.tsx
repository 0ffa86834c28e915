import { type Session, SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { SessionsTable } from '../shared/sessions-table.tsx';
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
  return (
    <AccountCard
      title="Sessions"
      about={
        'Browsers where you’re signed in. If you don’t recognize one, sign it out and change ' +
        'your password.'
      }
    >
      <SessionsTable
        list={list}
        end={signOut}
        empty={{ title: 'No sessions', text: 'Sign in to start a session.' }}
      />
    </AccountCard>
  );
}
