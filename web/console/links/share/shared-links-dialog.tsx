/** The URLs of new links, which have been copied if the browser allows it. */
import { Button, Group, Modal, Paper, ScrollArea, Stack, Text } from '@mantine/core';
import type { Link } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { CopyableText, CopyButton } from '../../shared/copyable-text.tsx';
import { useDialog } from '../../shared/dialog-state.ts';
import { focusBehindDialogs } from '../../shared/focus-fallback.ts';
import { ButtonLink } from '../../shared/router-links.tsx';
import { linkSummary } from '../link-summary.ts';

export type SharedLinksDialogProps = {
  readonly links: readonly Link[];
  /** The password of the links; empty for none. */
  readonly password: string;
  /** Whether the viewer can show the document. */
  readonly isShown: boolean | undefined;
  readonly isCopied: boolean;
  /** Whether each reader gets an email with the link. */
  readonly isMailed: boolean;
};

/** The URL of one link, or a line with the recipient and the URL of each. */
export const textOfLinks = (links: readonly Link[]): string =>
  links.length === 1
    ? links.map(({ url }) => url).join('')
    : links.map(({ recipient, url }) => `${recipient}\t${url}`).join('\n');

const mailNote = (links: readonly Link[]): string =>
  links.length === 1
    ? 'The reader gets the link by email.'
    : 'Each reader gets their link by email.';

export function SharedLinksDialog(props: SharedLinksDialogProps) {
  const { isOpen, close } = useDialog();
  const leave = () => {
    close();
    focusBehindDialogs();
  };
  const made = props.links.length === 1 ? 'Link created' : `${props.links.length} links created`;
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title={props.isCopied ? `${made} and copied` : made}
      size="lg"
      returnFocus={false}
    >
      <Content {...props} close={leave} />
    </Modal>
  );
}

type ContentProps = SharedLinksDialogProps & { readonly close: () => void };

function Content({ links, password, isShown, isMailed, close }: ContentProps) {
  const [first] = links;
  if (first === undefined) return null;
  const { workspaceId, id: linkId } = first;
  return (
    <Stack>
      <Text size="sm">{linkSummary(first, { isShown, isForEach: links.length > 1 })}</Text>
      {isMailed ? <Text size="sm">{mailNote(links)}</Text> : null}
      <ScrollArea.Autosize mah="40vh" type="auto">
        <Stack gap="xs">
          {links.map(({ id, recipient, url }) => (
            <Paper key={id} withBorder p="sm">
              {links.length === 1 ? null : <Text size="sm">{recipient}</Text>}
              <CopyableText
                text={url}
                label={links.length === 1 ? 'URL' : `URL for ${recipient}`}
              />
            </Paper>
          ))}
        </Stack>
      </ScrollArea.Autosize>
      {password === '' ? null : (
        <div>
          <Text size="sm">Send the password separately. It is not shown again.</Text>
          <CopyableText text={password} label="password" />
        </div>
      )}
      <Group justify="flex-end">
        {links.length === 1 ? (
          <ButtonLink
            variant="default"
            to="/workspaces/$workspaceId/links/$linkId"
            params={{ workspaceId, linkId }}
          >
            View link
          </ButtonLink>
        ) : (
          <CopyButton text={textOfLinks(links)} label="all URLs" caption="Copy all" size="sm" />
        )}
        <Button onClick={close} data-autofocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
