import { Button, Group, Text } from '@mantine/core';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { Copy } from '../parts/copyable.tsx';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing, type ListingProps } from '../parts/listing.tsx';
import { usePaged } from '../parts/paged.ts';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
import { useDocumentName } from './document-names.ts';
import { useEditLink } from './edit-link.tsx';
import { calledOf, endOf, gateOf, hasEnded, StateBadge } from './link-state.tsx';
import { useRevokeLink } from './revoke-link.ts';

export type LinksTableProps = {
  readonly workspaceId: string;
  /** The only document whose links are listed; unset for those of all. */
  readonly document?: Document;
  readonly empty?: ListingProps<Link>['empty'];
};

export function LinksTable({ workspaceId, document, empty }: LinksTableProps) {
  const mayChange = useHasScope()('links:write');
  const revoke = useRevokeLink();
  const { edit, dialog } = useEditLink();
  const list = usePaged(
    LinkService.method.listLinks,
    { workspaceId, ...(document === undefined ? {} : { documentId: document.id }) },
    (page) => page.links,
  );

  const columns: readonly Column<Link>[] = [
    { title: 'Link', cell: (link) => <Named link={link} document={document} /> },
    { title: 'State', cell: (link) => <StateBadge link={link} /> },
    { title: 'Asks for', cell: gateOf },
    { title: 'Views', cell: ({ viewCount }) => viewCount },
    { title: 'Ends', cell: (link) => <End link={link} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (link) => (
        <Actions link={link} document={document} {...(mayChange ? { edit, revoke } : {})} />
      ),
    },
  ];
  const whatNext = mayChange
    ? 'Create one, and send its address to whoever should see the document.'
    : 'Nobody has shared a document by a link here.';
  return (
    <>
      <Listing
        label="Links"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={empty ?? { title: 'No links yet', text: whatNext }}
      />
      {dialog}
    </>
  );
}

type OfLink = {
  readonly link: Link;
  /** Its document, where that is known. */
  readonly document: Document | undefined;
};

const useNameOfDocument = ({ link: { workspaceId, documentId }, document }: OfLink) =>
  useDocumentName(workspaceId, documentId, document?.name);

/** A link goes by its name, or by that of its document. */
function Named({ link, document }: OfLink) {
  const { workspaceId, documentId, id: linkId, name } = link;
  const found = useNameOfDocument({ link, document });
  const unknown = found.isPending ? 'Loading…' : <span className="mono">{documentId}</span>;
  const documentName = found.name ?? unknown;
  return (
    <div>
      <TextLink to="/workspaces/$workspaceId/links/$linkId" params={{ workspaceId, linkId }}>
        {name === '' ? documentName : name}
      </TextLink>
      {name === '' || document !== undefined ? null : (
        <Text size="xs" c="dimmed">
          {documentName}
        </Text>
      )}
    </div>
  );
}

function End({ link }: { readonly link: Link }) {
  return (
    <>
      {hasEnded(link) ? 'ended ' : ''}
      <When time={endOf(link)} />
    </>
  );
}

type Act = (link: Link, called: string) => void;

/** Without those that the user may not do. */
type ActionsProps = OfLink & { readonly edit?: Act; readonly revoke?: Act };

function Actions({ link, document, edit, revoke }: ActionsProps) {
  const called = calledOf(link, useNameOfDocument({ link, document }).name);
  if (link.revokeTime !== undefined) return null;
  const buttons = [
    { label: 'Edit', act: edit },
    { label: 'Revoke', act: revoke },
  ];
  return (
    <Group gap="xs" wrap="nowrap">
      <Copy text={link.url} label={`address of ${called}`} size="compact-sm" />
      {buttons.map(({ label, act }) =>
        act === undefined ? null : (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            aria-label={`${label} ${called}`}
            onClick={() => act(link, called)}
          >
            {label}
          </Button>
        ),
      )}
    </Group>
  );
}
