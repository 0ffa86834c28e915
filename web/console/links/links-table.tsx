import { Group } from '@mantine/core';
import { IconCancel, IconLink, IconPencil } from '@tabler/icons-react';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyButton } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, Listing, type ListingProps } from '../shared/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { RowMenu } from '../shared/row-menu.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import {
  accessText,
  endTimeOf,
  hasEnded,
  LinkStateBadge,
  linkPhrase,
  linkTitle,
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
    { name: document === undefined ? '' : 'links' },
  );

  const columns: readonly Column<Link>[] = [
    {
      title: 'Link',
      orderBy: 'name',
      cell: (link) => <NameCell link={link} />,
    },
    ...(document === undefined ? [documentColumn] : []),
    { title: 'State', isPlain: true, cell: (link) => <State link={link} /> },
    { title: 'Access', isPlain: true, isSpare: true, cell: accessText },
    {
      title: 'Views',
      orderBy: 'view_count',
      isNewestFirst: true,
      cell: ({ viewCount }) => viewCount.toLocaleString(),
    },
    {
      title: 'Expires',
      isAbsent: hasEnded,
      cell: ({ expireTime }) => <DateTime time={expireTime} />,
    },
    {
      title: 'Created',
      orderBy: 'create_time',
      isNewestFirst: true,
      isMinor: true,
      cell: ({ createTime }) => <DateTime time={createTime} />,
    },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (link) => <Actions link={link} {...(mayChange ? { edit, revoke } : {})} />,
    },
  ];
  const emptyText = mayChange
    ? 'Create one, send it to people, and see who opens it and which pages they read.'
    : 'This workspace has no links.';
  return (
    <>
      <Listing
        label="Links"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={empty ?? { title: 'No links yet', text: emptyText, icon: IconLink }}
      />
      {dialog}
    </>
  );
}

const documentColumn: Column<Link> = {
  title: 'Document',
  isFree: true,
  isPlain: true,
  cell: (link) => <DocumentCell link={link} />,
};

type OfLink = { readonly link: Link };

function NameCell({ link }: OfLink) {
  const { workspaceId, id: linkId } = link;
  const title = linkTitle(link);
  return (
    <TextLink
      to="/workspaces/$workspaceId/links/$linkId"
      params={{ workspaceId, linkId }}
      title={title}
    >
      {title}
    </TextLink>
  );
}

function DocumentCell({ link }: OfLink) {
  const { workspaceId, documentId, documentName } = link;
  return (
    <TextLink
      to="/workspaces/$workspaceId/documents/$documentId"
      params={{ workspaceId, documentId }}
      title={documentName}
    >
      {documentName}
    </TextLink>
  );
}

/** The state, and when the link ended. */
function State({ link }: OfLink) {
  return (
    <Group component="span" display="inline-flex" gap="xs" wrap="nowrap">
      <LinkStateBadge link={link} />
      {hasEnded(link) ? <DateTime time={endTimeOf(link)} /> : null}
    </Group>
  );
}

type LinkAction = (link: Link, phrase: string) => void;

/** Actions without a handler are hidden. */
type ActionsProps = OfLink & { readonly edit?: LinkAction; readonly revoke?: LinkAction };

function Actions({ link, edit, revoke }: ActionsProps) {
  const phrase = linkPhrase(link);
  if (link.revokeTime !== undefined) return null;
  return (
    <RowMenu
      name={phrase}
      actions={[
        ...(edit === undefined
          ? []
          : [{ label: 'Edit', icon: IconPencil, run: () => edit(link, phrase) }]),
        ...(revoke === undefined
          ? []
          : [{ label: 'Revoke', icon: IconCancel, run: () => revoke(link, phrase) }]),
      ]}
    >
      <CopyButton text={link.url} label={`URL of ${phrase}`} isIcon />
    </RowMenu>
  );
}
