import { Button, Group, Modal, Paper, Stack, Text } from '@mantine/core';
import { CopyableText, CopyButton } from './copyable-text.tsx';
import { useDialog } from './dialog-state.ts';
import { focusBehindDialogs } from './focus-fallback.ts';
import { Sentence } from './isolate-name.tsx';

export type ShownSecret = {
  readonly title: string;
  /** The type of the secret, such as `API key`. */
  readonly label: string;
  readonly text: string;
  /** The client that the secret belongs to. */
  readonly clientId?: string;
  /** Such as when the replaced secret expires. */
  readonly note?: string;
  /** A command that tries it out. */
  readonly command?: string | undefined;
};

/** Closes only by its button, because the secret is never shown again. */
export function SecretDialog(secret: ShownSecret) {
  const { isOpen, close } = useDialog();
  const leave = () => {
    close();
    focusBehindDialogs();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={<Sentence text={secret.title} />}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      returnFocus={false}
    >
      <Secret {...secret} close={leave} />
    </Modal>
  );
}

type SecretProps = ShownSecret & { readonly close: () => void };

function Secret({ label, text, clientId, note, command, close }: SecretProps) {
  return (
    <Stack>
      <Text>Copy the {label} and store it securely. It isn’t shown again.</Text>
      <CopyBox label={label} text={text} />
      {clientId === undefined ? null : (
        <Group gap="4px 8px">
          Client ID:
          <CopyableText text={clientId} label="client ID" />
        </Group>
      )}
      {note === undefined ? null : <Text>{note}</Text>}
      {command === undefined ? null : (
        <>
          <Text>Try it in a terminal:</Text>
          <CopyBox label="command" text={command} />
        </>
      )}
      <Group justify="flex-end">
        <Button onClick={close}>I have stored it</Button>
      </Group>
    </Stack>
  );
}

function CopyBox({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <code className="mono" style={{ whiteSpace: 'pre-wrap' }}>
          {text}
        </code>
        <CopyButton text={text} label={label} />
      </Group>
    </Paper>
  );
}
