import { Button, Group, Text } from '@mantine/core';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { Copy } from '../parts/copyable.tsx';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { usePaged } from '../parts/paged.ts';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
import { DocumentName } from './document-name.tsx';
import { useEditLink } from './edit-link.tsx';
import { calledOf, gateOf, StateBadge } from './link-state.tsx';
import { useRevokeLink } from './revoke-link.ts';

export type LinksTableProps = {
  readonly workspaceId: string;
  /** The only document whose links are listed; unset for those of all. */
  readonly documentId?: string;
};

export function LinksTable({ workspaceId, documentId }: LinksTableProps) {
  const mayChange = useHasScope()('links:write');
  const revoke = useRevokeLink();
  const { edit, dialog } = useEditLink();
  const list = usePaged(
    LinkService.method.listLinks,
    { workspaceId, ...(documentId === undefined ? {} : { documentId }) },
    (page) => page.links,
  );

  const columns: readonly Column<Link>[] = [
    {
      title: 'Link',
      cell: (link) => <Named link={link} hasOneDocument={documentId !== undefined} />,
    },
    { title: 'State', cell: (link) => <StateBadge link={link} /> },
    { title: 'Asks for', cell: gateOf },
    { title: 'Views', cell: ({ viewCount }) => viewCount },
    {
      title: 'Ends',
      cell: ({ revokeTime, expireTime }) => <When time={revokeTime ?? expireTime} />,
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (link) => <Actions link={link} {...(mayChange ? { edit, revoke } : {})} />,
    },
  ];
  return (
    <>
      <Listing
        label="Links"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={{
          title: 'No links yet',
          text: mayChange
            ? 'Create one, and send its address to whoever should see the document.'
            : 'Nobody has shared a document by a link here.',
        }}
      />
      {dialog}
    </>
  );
}

/** A link goes by its name, or by that of its document. */
function Named({ link, hasOneDocument }: { link: Link; hasOneDocument: boolean }) {
  const { workspaceId, documentId, id: linkId, name } = link;
  const document = <DocumentName workspaceId={workspaceId} documentId={documentId} />;
  return (
    <div>
      <TextLink to="/workspaces/$workspaceId/links/$linkId" params={{ workspaceId, linkId }}>
        {name === '' ? document : name}
      </TextLink>
      {name === '' || hasOneDocument ? null : (
        <Text size="xs" c="dimmed">
          {document}
        </Text>
      )}
    </div>
  );
}

type ActionsProps = {
  readonly link: Link;
  /** Absent where the user may not. */
  readonly edit?: (link: Link) => void;
  readonly revoke?: (link: Link) => void;
};

function Actions({ link, edit, revoke }: ActionsProps) {
  if (link.revokeTime !== undefined) return null;
  const buttons = [
    { label: 'Edit', act: edit },
    { label: 'Revoke', act: revoke },
  ];
  return (
    <Group gap="xs" wrap="nowrap">
      <Copy text={link.url} label="address" size="compact-sm" />
      {buttons.map(({ label, act }) =>
        act === undefined ? null : (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            aria-label={`${label} ${calledOf(link)}`}
            onClick={() => act(link)}
          >
            {label}
          </Button>
        ),
      )}
    </Group>
  );
}
