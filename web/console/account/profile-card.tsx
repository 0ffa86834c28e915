import { Button } from '@mantine/core';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useHasScope, useRefreshOwnSession, useUser } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { FactList } from '../shared/facts.tsx';
import { NameDialog } from '../shared/name-dialog.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';
import { AccountCard } from './account-card.tsx';

const kinds: Record<string, string> = {
  staff: 'Staff',
  member: 'Member',
};

export function ProfileCard() {
  const { id, name, email, kind } = useUser();
  const { open } = useDialogs();
  const mayChange = useHasScope()('users:write');
  const update = useMethod(UserService.method.updateUser);
  const refresh = useRefreshOwnSession(id);
  const rename = async (next: string) => {
    await update({ userId: id, name: next });
    await refresh();
  };
  return (
    <AccountCard
      title="Profile"
      actions={
        <Button
          variant="default"
          onClick={() =>
            open(
              <NameDialog
                title="Change your name"
                label="Save"
                done="Name changed"
                name={name}
                submit={rename}
              />,
            )
          }
        >
          Change name
        </Button>
      }
      about={
        mayChange ? (
          <>
            You can change your email address in{' '}
            <TextLink to="/users/$userId" params={{ userId: id }}>
              Users
            </TextLink>
            .
          </>
        ) : (
          'Ask an administrator to change your email address.'
        )
      }
    >
      <FactList
        facts={[
          { name: 'Name', value: name === '' ? '—' : name },
          { name: 'Email address', value: email },
          { name: 'Type', value: kinds[kind] ?? kind },
          { name: 'User ID', value: <CopyableText text={id} label="your ID" /> },
        ]}
      />
    </AccountCard>
  );
}
