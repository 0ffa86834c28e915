import { Badge, Group, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import {
  type Link,
  LinkService,
  type LinkView,
  type PageView,
} from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { DateTime } from '../../shared/date-time.tsx';
import { type Column, Listing } from '../../shared/listing.tsx';
import { usePagedList } from '../../shared/use-paged-list.ts';
import { formatDuration } from './format-duration.ts';

const columns: readonly Column<LinkView>[] = [
  { title: 'Reader', orderBy: 'email', cell: (view) => <ReaderCell {...view} /> },
  {
    title: 'Opened',
    orderBy: 'create_time',
    isNewestFirst: true,
    cell: ({ createTime }) => <DateTime time={createTime} />,
  },
  {
    title: 'Time spent',
    orderBy: 'duration_ms',
    isNewestFirst: true,
    cell: ({ durationMs }) => (durationMs === 0 ? '—' : formatDuration(durationMs)),
  },
  { title: 'Pages', isFree: true, cell: ({ pages }) => <Pages pages={pages} /> },
];

export function ViewsTable({ link }: { readonly link: Link }) {
  const { workspaceId, id: linkId, revokeTime } = link;
  const list = usePagedList(
    LinkService.method.listLinkViews,
    { workspaceId, linkId },
    ({ views }) => views,
    { isLive: true },
  );
  return (
    <Listing
      label="Views"
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      empty={{
        title: 'No views yet',
        icon: IconEye,
        text:
          revokeTime === undefined
            ? 'Send the URL to someone. New views appear here within a few seconds.'
            : 'The link was revoked before anyone opened it.',
      }}
    />
  );
}

function ReaderCell({ email, emailVerified }: LinkView) {
  if (email === '') return <>—</>;
  return (
    <Group gap="xs" wrap="nowrap">
      <span title={email}>{email}</span>
      {emailVerified ? (
        <Badge variant="light" color="teal">
          Verified
        </Badge>
      ) : null}
    </Group>
  );
}

function Pages({ pages }: { readonly pages: readonly PageView[] }) {
  const [first, ...others] = pages;
  if (first === undefined) return <>—</>;
  const longest = others.reduce((one, two) => (two.durationMs > one.durationMs ? two : one), first);
  return (
    <span>
      <span>{formatRanges(pages.map(({ page }) => page))}</span>
      {others.length === 0 ? null : (
        <Text span size="xs" c="dimmed" ml={8}>
          Longest: page {longest.page}, {formatDuration(longest.durationMs)}
        </Text>
      )}
    </span>
  );
}

const rangesMax = 8;

/** Formats ascending numbers as ranges: `1–3, 7`. */
function formatRanges(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges
    .slice(0, rangesMax)
    .map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  return ranges.length > rangesMax ? `${shown.join(', ')}, …` : shown.join(', ');
}
