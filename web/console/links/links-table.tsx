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
import {
  accessText,
  endLabel,
  endTimeOf,
  hasEnded,
  LinkStateBadge,
  linkPhrase,
} from './link-state.tsx';
import { useEditLink } from './use-edit-link.tsx';
import { useRevokeLink } from './use-revoke-link.ts';

export type LinksTableProps = {
  readonly workspaceId: string;
  /** Lists the links of this document only; unset for all. */
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
    { title: 'Link', cell: (link) => <NameCell link={link} document={document} /> },
    { title: 'State', cell: (link) => <LinkStateBadge link={link} /> },
    { title: 'Access', cell: accessText },
    { title: 'Views', cell: ({ viewCount }) => viewCount },
    { title: 'Expires', cell: (link) => <ExpiryCell link={link} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (link) => (
        <Actions link={link} document={document} {...(mayChange ? { edit, revoke } : {})} />
      ),
    },
  ];
  const emptyText = mayChange
    ? 'Create one and send its URL to the people who should see the document.'
    : 'This workspace has no links.';
  return (
    <>
      <Listing
        label="Links"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={empty ?? { title: 'No links yet', text: emptyText }}
      />
      {dialog}
    </>
  );
}

type OfLink = {
  readonly link: Link;
  /** The document, if the screen has loaded it. */
  readonly document: Document | undefined;
};

const useNameOfDocument = ({ link: { workspaceId, documentId }, document }: OfLink) =>
  useDocumentName(workspaceId, documentId, document?.name);

/** The name of the link, or of its document if it has none. */
function NameCell({ link, document }: OfLink) {
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

function ExpiryCell({ link }: { readonly link: Link }) {
  return (
    <span>
      {hasEnded(link) ? `${endLabel(link)} ` : ''}
      <DateTime time={endTimeOf(link)} />
    </span>
  );
}

type LinkAction = (link: Link, phrase: string) => void;

/** Actions without a handler are hidden. */
type ActionsProps = OfLink & { readonly edit?: LinkAction; readonly revoke?: LinkAction };

function Actions({ link, document, edit, revoke }: ActionsProps) {
  const phrase = linkPhrase(link, useNameOfDocument({ link, document }).name);
  if (link.revokeTime !== undefined) return null;
  const buttons = [
    { label: 'Edit', action: edit },
    { label: 'Revoke', action: revoke },
  ];
  return (
    <Group gap="xs" wrap="nowrap">
      <CopyButton text={link.url} label={`URL of ${phrase}`} size="compact-sm" />
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
