import { Badge, Group, Text } from '@mantine/core';
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
  { title: 'Reader', cell: (view) => <ReaderCell {...view} /> },
  { title: 'Opened', cell: ({ createTime }) => <DateTime time={createTime} /> },
  {
    title: 'Time spent',
    cell: ({ durationMs }) => (durationMs === 0 ? '—' : formatDuration(durationMs)),
  },
  { title: 'Pages', cell: ({ pages }) => <Pages pages={pages} /> },
];

export function ViewsTable({ link }: { readonly link: Link }) {
  const { workspaceId, id: linkId, revokeTime } = link;
  const list = usePagedList(
    LinkService.method.listLinkViews,
    { workspaceId, linkId },
    ({ views }) => views,
  );
  return (
    <Listing
      label="Views"
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      empty={{
        title: 'No views yet',
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
    <Group gap="xs">
      {email}
      {emailVerified ? (
        <Badge variant="light" color="teal">
          Verified
        </Badge>
      ) : (
        <Text size="xs" c="dimmed">
          Not verified
        </Text>
      )}
    </Group>
  );
}

function Pages({ pages }: { readonly pages: readonly PageView[] }) {
  const [first, ...others] = pages;
  if (first === undefined) return <>—</>;
  const longest = others.reduce((one, two) => (two.durationMs > one.durationMs ? two : one), first);
  return (
    <div>
      <div>{formatRanges(pages.map(({ page }) => page))}</div>
      {others.length === 0 ? null : (
        <Text size="xs" c="dimmed">
          Longest: page {longest.page}, {formatDuration(longest.durationMs)}
        </Text>
      )}
    </div>
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
