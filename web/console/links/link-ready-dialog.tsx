import { Button, Group, Modal, Paper, Stack, Text } from '@mantine/core';
import type { Link } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { useDialog } from '../shared/dialog-state.ts';
import { focusBehindDialogs } from '../shared/focus-fallback.ts';
import { ButtonLink } from '../shared/router-links.tsx';

export function LinkReadyDialog({ link }: { readonly link: Link }) {
  const { isOpen, close } = useDialog();
  const leave = () => {
    close();
    focusBehindDialogs();
  };
  return (
    <Modal opened={isOpen} onClose={leave} title="Link created" size="lg" returnFocus={false}>
      <Ready link={link} close={leave} />
    </Modal>
  );
}

function Ready({ link, close }: { readonly link: Link; readonly close: () => void }) {
  const { workspaceId, id: linkId, url } = link;
  return (
    <Stack>
      <Text>Send this URL to the people who should see the document.</Text>
      <Paper withBorder p="sm">
        <CopyableText text={url} label="URL" />
      </Paper>
      {link.passwordRequired ? (
        <Text>The link is password-protected. Send the password separately.</Text>
      ) : null}
      <Group justify="flex-end">
        <ButtonLink
          variant="default"
          to="/workspaces/$workspaceId/links/$linkId"
          params={{ workspaceId, linkId }}
        >
          View link
        </ButtonLink>
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}
