import { Button, Group, Text } from '@mantine/core';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyButton } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, Listing, type ListingProps } from '../shared/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import { useDocumentName } from './document-names.ts';
import { accessText, endTimeOf, hasEnded, LinkStateBadge, linkInSentence } from './link-state.tsx';
import { useEditLink } from './use-edit-link.tsx';
import { useRevokeLink } from './use-revoke-link.ts';

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
  const list = usePagedList(
    LinkService.method.listLinks,
    { workspaceId, ...(document === undefined ? {} : { documentId: document.id }) },
    (page) => page.links,
  );

  const columns: readonly Column<Link>[] = [
    { title: 'Link', cell: (link) => <Named link={link} document={document} /> },
    { title: 'State', cell: (link) => <LinkStateBadge link={link} /> },
    { title: 'Asks for', cell: accessText },
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
      <DateTime time={endTimeOf(link)} />
    </>
  );
}

type LinkAction = (link: Link, phrase: string) => void;

/** Without those that the user may not do. */
type ActionsProps = OfLink & { readonly edit?: LinkAction; readonly revoke?: LinkAction };

function Actions({ link, document, edit, revoke }: ActionsProps) {
  const phrase = linkInSentence(link, useNameOfDocument({ link, document }).name);
  if (link.revokeTime !== undefined) return null;
  const buttons = [
    { label: 'Edit', action: edit },
    { label: 'Revoke', action: revoke },
  ];
  return (
    <Group gap="xs" wrap="nowrap">
      <CopyButton text={link.url} label={`address of ${phrase}`} size="compact-sm" />
      {buttons.map(({ label, action }) =>
        action === undefined ? null : (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            aria-label={`${label} ${phrase}`}
            onClick={() => action(link, phrase)}
          >
            {label}
          </Button>
        ),
      )}
    </Group>
  );
}
