/** Shows new recovery codes once. */
import { Button, Group, Modal, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useUser } from '../session/session-context.tsx';
import { CopyButton } from '../shared/copyable-text.tsx';
import { useDialog } from '../shared/dialog-state.ts';
import { focusBehindDialogs } from '../shared/focus-fallback.ts';
import { saveFile } from '../shared/save-file.ts';

type RecoveryCodesDialogProps = {
  readonly codes: readonly string[];
  readonly title: string;
};

/** Closes only by its button, because the codes are never shown again. */
export function RecoveryCodesDialog({ codes, title }: RecoveryCodesDialogProps) {
  const { isOpen, close } = useDialog();
  const leave = () => {
    close();
    focusBehindDialogs();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      returnFocus={false}
    >
      <Codes codes={codes} close={leave} />
    </Modal>
  );
}

type CodesProps = { readonly codes: readonly string[]; readonly close: () => void };

function Codes({ codes, close }: CodesProps) {
  const { email } = useUser();
  return (
    <Stack>
      <Text>
        Save these recovery codes. If you lose your phone, you sign in with your password and one of
        them. Each code works once.
      </Text>
      <Paper withBorder p="md">
        <SimpleGrid
          cols={{ base: 1, xs: 2 }}
          spacing={32}
          verticalSpacing="xs"
          component="ol"
          m={0}
          pl="xl"
        >
          {codes.map((code) => (
            <li key={code}>
              <code className="mono">{code}</code>
            </li>
          ))}
        </SimpleGrid>
      </Paper>
      <Group gap="xs">
        <CopyButton text={codes.join('\n')} label="recovery codes" />
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconDownload size={16} />}
          onClick={() => saveFile(fileOf(email, codes), 'latchkey-recovery-codes.txt')}
        >
          Download
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        Keep them where you keep your passwords, not on the phone with the app. They aren’t shown
        again, and earlier codes no longer work.
      </Text>
      <Group justify="flex-end">
        <Button onClick={close} data-autofocus>
          I have saved them
        </Button>
      </Group>
    </Stack>
  );
}

function fileOf(email: string, codes: readonly string[]): Blob {
  const lines = [
    `Latchkey recovery codes of ${email}`,
    `${location.origin}/console`,
    '',
    'Each code replaces a code of the authenticator app once.',
    '',
    ...codes,
    '',
  ];
  return new Blob([lines.join('\n')], { type: 'text/plain' });
}
