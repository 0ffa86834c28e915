import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { Link } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { CopyButton } from '../../shared/copyable-text.tsx';
import { ButtonLink } from '../../shared/router-links.tsx';
import { linkSummary } from '../link-summary.ts';

type SharedLinkProps = {
  readonly link: Link;
  /** Whether the viewer can show the document. */
  readonly isShown: boolean | undefined;
  /** Whether the URL has already been copied. */
  readonly isCopied: boolean;
  readonly titleId: string;
  /** Opens the options. */
  readonly edit: () => void;
};

/** The URL of a new link, what readers see, and a way to the options. */
export function SharedLink({ link, isShown, isCopied, titleId, edit }: SharedLinkProps) {
  const { workspaceId, id: linkId, url } = link;
  return (
    <Stack gap="sm">
      <Text id={titleId} fw={600} size="sm" role="status">
        {isCopied ? (
          <Group gap={6} component="span">
            <IconCheck size={16} aria-hidden />
            Link created and copied
          </Group>
        ) : (
          'Link created'
        )}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          size="xs"
          readOnly
          value={url}
          aria-label="URL"
          classNames={{ input: 'mono' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={url} label="URL" />
      </Group>
      <Text size="xs" c="dimmed">
        {linkSummary(link, isShown)}
      </Text>
      <Group justify="space-between" gap="xs">
        <Button variant="default" size="xs" onClick={edit}>
          Change options
        </Button>
        <ButtonLink
          variant="subtle"
          size="xs"
          to="/workspaces/$workspaceId/links/$linkId"
          params={{ workspaceId, linkId }}
        >
          View link
        </ButtonLink>
      </Group>
    </Stack>
  );
}
