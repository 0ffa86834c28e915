/** The passkeys of a user. */
import { useQuery } from '@connectrpc/connect-query';
import { Group, Paper, Stack, Text } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { type Passkey, PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { ActionMenu } from '../shared/lists/row-menu.tsx';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';

/** Shows nothing for a user without passkeys. */
export function UserPasskeys({ userId }: { readonly userId: string }) {
  const mayDelete = useHasScope()('users:write');
  const { data } = useQuery(PasskeyService.method.listPasskeys, { userId });
  const passkeys = data?.passkeys ?? [];
  if (passkeys.length === 0) return null;
  return (
    <Section title="Passkeys">
      <Paper withBorder p="md">
        <PasskeyList userId={userId} passkeys={passkeys} mayDelete={mayDelete} />
      </Paper>
    </Section>
  );
}

type PasskeyListProps = {
  readonly userId: string;
  readonly passkeys: readonly Passkey[];
  /** Only their user renames passkeys. */
  readonly isOwn?: boolean;
  readonly mayDelete: boolean;
};

export function PasskeyList({ userId, passkeys, isOwn = false, mayDelete }: PasskeyListProps) {
  const { open, confirm } = useDialogs();
  const rename = useMethod(PasskeyService.method.updatePasskey);
  const remove = useMethod(PasskeyService.method.deletePasskey);
  if (passkeys.length === 0) return null;
  const askForName = ({ id: passkeyId, name }: Passkey) =>
    open(
      <RenameDialog
        noun="passkey"
        name={name}
        submit={(next) => rename({ userId, passkeyId, name: next })}
      />,
    );
  const askToDelete = ({ id: passkeyId, name }: Passkey) =>
    confirm({
      title: `Delete the passkey ${isolateName(name)}?`,
      consequence:
        'It no longer works for sign-ins. Sessions continue. The device shows the passkey until ' +
        'it is deleted there, too.',
      label: 'Delete',
      done: 'Passkey deleted',
      run: () => remove({ userId, passkeyId }),
    });
  return (
    <Stack gap="sm">
      {passkeys.map((passkey) => (
        <Group key={passkey.id} justify="space-between" gap="sm" wrap="nowrap">
          <div style={{ overflowWrap: 'anywhere' }}>
            <Text size="sm">{passkey.name}</Text>
            <Text size="xs" c="dimmed">
              Added <DateTime time={passkey.createTime} />
              {' · '}
              {passkey.lastUsedTime === undefined ? (
                'never used'
              ) : (
                <>
                  last used <DateTime time={passkey.lastUsedTime} />
                </>
              )}
              {passkey.synced ? ' · synced between devices' : ''}
            </Text>
          </div>
          {mayDelete ? (
            <ActionMenu
              name={passkey.name}
              actions={[
                isOwn && { label: 'Rename', icon: IconPencil, run: () => askForName(passkey) },
                { label: 'Delete', icon: IconTrash, run: () => askToDelete(passkey) },
              ]}
            />
          ) : null}
        </Group>
      ))}
    </Stack>
  );
}
