/** The sessions of another user, which staff can end. */
import { Button, Text } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { type Session, SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import type { User } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { displayName } from '../shared/display-name.ts';
import { isolateName } from '../shared/isolate-name.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { Section } from '../shared/section.tsx';
import { endColumn, sessionColumns } from '../shared/session-columns.tsx';
import { useMethod } from '../shared/use-method.ts';

type UserSessionsProps = { readonly user: User; readonly isSelf: boolean };

const sessions = defineList({
  label: 'Sessions',
  method: SessionService.method.listUserSessions,
  rows: (page) => page.sessions,
  columns: sessionColumns,
});

export function UserSessions({ user, isSelf }: UserSessionsProps) {
  const { id: userId } = user;
  const { confirm } = useDialogs();
  const mayEnd = useHasScope()('users:write');
  const revoke = useMethod(SessionService.method.revokeUserSession);
  const revokeAll = useMethod(SessionService.method.revokeUserSessions);
  const list = useList(sessions, { userId });
  const name = isolateName(displayName(user));
  const endOne = ({ id: sessionId, address }: Session) =>
    confirm({
      title: `Sign ${name} out of this session?`,
      consequence: `The browser that signed in from ${address} is signed out immediately.`,
      label: 'Sign out',
      run: () => revoke({ userId, sessionId }),
    });
  const endAll = () =>
    confirm({
      title: `Sign ${name} out everywhere?`,
      consequence:
        'All browsers of the user are signed out immediately. The user can sign in again. If ' +
        'someone else knows the password, set a new one, too.' +
        (isSelf ? ' This is your own account: you’ll be signed out.' : ''),
      label: 'Sign out everywhere',
      run: () => revokeAll({ userId }),
    });
  const end = endColumn(undefined, () => endOne);
  const hasSessions = (list.rows?.length ?? 0) > 0;
  return (
    <Section
      title="Sessions"
      actions={
        mayEnd && hasSessions ? (
          <Button variant="default" onClick={endAll}>
            Sign out everywhere
          </Button>
        ) : undefined
      }
    >
      <Text size="sm" c="dimmed">
        Browsers where the user is signed in.
      </Text>
      <Listing
        list={{ ...list, columns: [...list.columns, ...(mayEnd ? [end] : [])] }}
        empty={{
          title: 'Not signed in',
          text: 'The user has no sessions now.',
          icon: IconDeviceDesktop,
        }}
      />
    </Section>
  );
}
