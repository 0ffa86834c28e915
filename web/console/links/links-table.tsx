import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Group } from '@mantine/core';
import { IconCancel, IconLink, IconPencil } from '@tabler/icons-react';
import {
  type Link,
  LinkService,
  LinkState,
  type ListLinksResponse,
} from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyButton } from '../shared/copyable-text.tsx';
import { createdColumn } from '../shared/creation.tsx';
import { DateTime } from '../shared/date-time.tsx';
import {
  type Column,
  defineList,
  type Selection,
  type ShownList,
} from '../shared/lists/define-list.ts';
import type { Filters } from '../shared/lists/filters.ts';
import { type Empty, Listing } from '../shared/lists/listing.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMinuteClock } from '../shared/use-minute-clock.ts';
import {
  accessText,
  endTimeOf,
  hasEnded,
  LinkStateBadge,
  linkLabel,
  linkPhrase,
} from './link-state.tsx';
import { SelectedLinks } from './selected-links.tsx';
import { idFieldOf } from './share/share-target.ts';
import { TargetFilterField, useTargetName } from './target-filter.tsx';
import { TargetLink } from './target-link.tsx';
import { useEditLink } from './use-edit-link.tsx';
import { useRevokeLink } from './use-revoke-link.ts';

const columnsWith = (...more: readonly Column<Link>[]): readonly Column<Link>[] => [
  {
    title: 'Link',
    orderBy: 'name',
    cell: (link) => <NameCell link={link} />,
  },
  ...more,
  { title: 'State', isPlain: true, cell: (link) => <State link={link} /> },
  {
    title: 'Access',
    isFree: true,
    isPlain: true,
    isSpare: true,
    cell: (link) => <span title={accessText(link)}>{accessText(link)}</span>,
  },
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
  createdColumn({ isMinor: true }),
  {
    title: 'Actions',
    isTitleHidden: true,
    cell: (link) => <Actions link={link} />,
  },
];

const targetColumn: Column<Link> = {
  title: 'Opens',
  isFree: true,
  isPlain: true,
  cell: (link) => <TargetLink link={link} />,
};

const states = {
  active: LinkState.ACTIVE,
  expired: LinkState.EXPIRED,
  revoked: LinkState.REVOKED,
} as const;

/** The parameters of the address. */
type LinkSearch = {
  readonly workspaceId: string;
  readonly state?: keyof typeof states;
  readonly person?: string;
  /** The id of a document or a folder. */
  readonly target?: string;
  readonly expire_before?: string;
};

const filters = {
  state: { label: 'State', choices: { active: 'Active', expired: 'Expired', revoked: 'Revoked' } },
  person: { label: 'Person', placeholder: 'ann@example.com or @example.com', maxLength: 254 },
} as const satisfies Filters;

const targetFilter = {
  label: 'Document or folder',
  short: 'Opens',
  field: TargetFilterField,
  useText: useTargetName,
};

const selection: Selection<Link> = {
  nameOf: linkPhrase,
  // Neither action has an effect on a revoked link.
  isSelectable: ({ revokeTime }) => revokeTime === undefined,
  scope: 'links:write',
  actions: SelectedLinks,
};

const shared = {
  label: 'Links',
  method: LinkService.method.listLinks,
  rows: (page: ListLinksResponse) => page.links,
  request: ({ workspaceId, state, person, target, expire_before: before }: LinkSearch) => ({
    workspaceId,
    ...(before === undefined ? {} : { expireBefore: timestampFromDate(new Date(before)) }),
    ...(state === undefined ? {} : { state: states[state] }),
    ...(person === undefined ? {} : { reader: person }),
    ...(target === undefined ? {} : idFieldOf({ id: target })),
  }),
  selection,
};

export const links = defineList({
  ...shared,
  filters: {
    ...filters,
    target: targetFilter,
    expire_before: { label: 'Expires before', kind: 'time' },
  },
  columns: columnsWith(targetColumn),
});

export const targetLinks = defineList({
  ...shared,
  name: 'links',
  filters,
  columns: columnsWith(),
});

export type LinksTableProps = {
  readonly list: ShownList<Link>;
  readonly empty?: Empty | undefined;
};

export function LinksTable({ list, empty }: LinksTableProps) {
  const mayChange = useHasScope()('links:write');
  const text = mayChange
    ? 'Create one, send it to readers, and see who opens it and which pages they read.'
    : 'This workspace has no links.';
  return (
    <Listing
      list={list}
      empty={empty ?? { title: 'No links yet', text, icon: IconLink }}
      noMatch={{ title: 'No matching links', text: 'No link has all values of the filter.' }}
    />
  );
}

type OfLink = { readonly link: Link };

function NameCell({ link }: OfLink) {
  const { workspaceId, id: linkId } = link;
  const title = linkLabel(link);
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

/** The state, and when the link ended. */
function State({ link }: OfLink) {
  useMinuteClock();
  return (
    <Group component="span" display="inline-flex" gap="xs" wrap="nowrap">
      <LinkStateBadge link={link} />
      {hasEnded(link) ? <DateTime time={endTimeOf(link)} /> : null}
    </Group>
  );
}

function Actions({ link }: OfLink) {
  const mayChange = useHasScope()('links:write');
  const edit = useEditLink();
  const revoke = useRevokeLink();
  const phrase = linkPhrase(link);
  if (link.revokeTime !== undefined) return null;
  return (
    <RowMenu
      name={phrase}
      actions={[
        mayChange && { label: 'Edit', icon: IconPencil, run: () => edit(link) },
        mayChange && { label: 'Revoke', icon: IconCancel, run: () => revoke(link, phrase) },
      ]}
    >
      <CopyButton text={link.url} label={`URL of ${phrase}`} isIcon />
    </RowMenu>
  );
}
