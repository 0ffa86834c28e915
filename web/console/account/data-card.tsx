import { Button, Group } from '@mantine/core';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { fetchBytes } from '../session/fetch-bytes.ts';
import { useUser } from '../session/session-context.tsx';
import { DeleteButton } from '../shared/delete-button.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useDownload } from '../shared/use-download.ts';
import { useMethod } from '../shared/use-method.ts';
import { AccountCard } from './account-card.tsx';

const loss =
  'Only an administrator can do that. After that, your name, email address, passkeys and ' +
  'sessions are erased.';

export function DataCard() {
  const { name, email } = useUser();
  const remove = useMethod(UserService.method.deleteUser);
  const download = useDownload({
    name: 'my-data.tar',
    fetch: (session) => fetchBytes(session, '/users/me:export'),
  });
  return (
    <AccountCard
      title="Your data"
      about={
        'The archive contains your profile, sessions, memberships, what you created, and your ' +
        'events in the audit log, as JSON files.'
      }
      actions={
        <Group gap="xs">
          <Button variant="default" loading={download.isPending} onClick={download.start}>
            Export my data
          </Button>
          <DeleteButton
            noun="user"
            label="Delete my account"
            name={name || email}
            effect="You are signed out immediately. What you created stays, without your name."
            loss={loss}
            remove={() => remove({ userId: 'me' })}
          />
        </Group>
      }
    >
      <ErrorAlert error={download.error} />
    </AccountCard>
  );
}
