import { Badge, Box, Group, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCircleCheck, IconEye } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useCallback } from 'react';
import { formatDuration } from '../../../clients/cli/src/base/format-duration.ts';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import type { LinkView, PageView } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { DateTime } from '../shared/date-time.tsx';
import type { Column, ShownList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { RowToggle } from '../shared/lists/row-toggle.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { AcceptedAgreement } from './accepted-agreement.tsx';
import { HeatStrip } from './heat-strip.tsx';

export type ReadersTableProps = {
  readonly list: ShownList<LinkView>;
  /** The current version of the document that all views are of, if it is known. */
  readonly document?: Pick<Document, 'version' | 'pageCount'> | undefined;
  /** Shown instead of an empty table. */
  readonly emptyText: string;
};

/** The views, newest first. Each opens to show the time on each page. */
export function ReadersTable({ list, document, emptyText }: ReadersTableProps) {
  const { version, pageCount = 0 } = document ?? {};
  const details = useCallback(
    (view: LinkView) => (
      // Views of release 0.1 have no version. They are of the first one.
      <Details view={view} pageCount={(view.version || 1) === version ? pageCount : 0} />
    ),
    [version, pageCount],
  );
  return (
    <Listing
      list={list}
      details={details}
      empty={{ title: 'No views yet', icon: IconEye, text: emptyText }}
    />
  );
}

/** `others`: what distinguishes the views, such as their link or their document. */
export const readerColumns = (
  ...others: readonly Column<LinkView>[]
): readonly Column<LinkView>[] => [
  { title: 'Reader', orderBy: 'email', cell: (view) => <ReaderCell {...view} /> },
  ...others,
  versionColumn,
  ...readingColumns,
];

export const documentColumn: Column<LinkView> = {
  title: 'Document',
  isFree: true,
  cell: (view) => <ReadDocument view={view} />,
};

function ReadDocument({ view: { documentId, documentName } }: { readonly view: LinkView }) {
  const { workspaceId } = useParams({ strict: false });
  return <ResourceLink id={documentId} name={documentName} workspaceId={workspaceId} />;
}

/** The version of the document that the reader read. */
export const versionColumn: Column<LinkView> = {
  title: 'Version',
  isSpare: true,
  isAbsent: ({ version }) => version === 0,
  cell: ({ version }) => version.toLocaleString(),
};

/** When the reader read, for how long, and which pages. */
export const readingColumns: readonly Column<LinkView>[] = [
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
    isAbsent: ({ durationMs }) => durationMs === 0,
    cell: ({ durationMs }) => formatDuration(durationMs),
  },
  {
    title: 'Pages',
    isAbsent: ({ pages }) => !pages.some(isRead),
    cell: ({ pages }) => <Pages pages={pages.filter(isRead)} />,
  },
  {
    title: 'Downloads',
    isMinor: true,
    isAbsent: ({ downloadCount }) => downloadCount === 0,
    cell: ({ downloadCount }) => downloadCount.toLocaleString(),
  },
];

/** A page that was visible for less than a second was not read, as in the insight. */
const isRead = ({ durationMs }: PageView) => durationMs >= 1_000;

/** A longer document, or one of unknown length, ends at the last page that was read. */
const cellsMax = 500;

type DetailsProps = { readonly view: LinkView; readonly pageCount: number };

function Details({ view, pageCount }: DetailsProps) {
  return (
    <Stack gap="sm">
      {view.agreementId === '' ? null : <AcceptedAgreement agreementId={view.agreementId} />}
      <PageTimes view={view} pageCount={pageCount} />
    </Stack>
  );
}

function PageTimes({ view, pageCount }: DetailsProps) {
  const times = new Map(
    view.pages.filter(isRead).map(({ page, durationMs }) => [page, durationMs]),
  );
  const last = Math.max(pageCount > cellsMax ? 0 : pageCount, ...times.keys());
  if (times.size === 0) {
    return (
      <Text size="sm" c="dimmed">
        {view.downloadCount > 0
          ? 'The reader downloaded the file. No time on a page was recorded.'
          : 'No time on a page was recorded.'}
      </Text>
    );
  }
  const cells = Array.from({ length: last }, (_, index) => {
    const value = times.get(index + 1) ?? 0;
    return { page: index + 1, value, text: value === 0 ? '—' : formatDuration(value) };
  });
  const reader = view.email === '' ? 'an anonymous reader' : view.email;
  return <HeatStrip label={`Time per page of ${reader}`} cells={cells} />;
}

function ReaderCell({ email, emailVerified, visitCount, ...view }: LinkView) {
  const { workspaceId = '' } = useParams({ strict: false });
  if (email === '') {
    return (
      <RowToggle>
        <span title="The link asks for no address.">Anonymous</span>
        <Visits count={visitCount} />
      </RowToggle>
    );
  }
  return (
    <Group gap={6} wrap="nowrap" maw="100%">
      <RowToggle label={`Pages of ${email}`} />
      <TextLink
        to="/workspaces/$workspaceId/readers/$email"
        params={{ workspaceId, email }}
        title={email}
      >
        {email}
      </TextLink>
      {emailVerified ? <VerifiedMark /> : null}
      {view.actingClientId === '' ? null : (
        <Badge component="span" variant="light" color="gray" miw={0} title={view.actingClientId}>
          Read by {view.actingClientName}
        </Badge>
      )}
      <Visits count={visitCount} />
    </Group>
  );
}

/** An icon, because the address of the reader needs the width. */
function VerifiedMark() {
  return (
    <Box component="span" flex="none" lh={0} title="Verified with a code">
      <IconCircleCheck size={16} color="var(--mantine-color-teal-text)" aria-hidden />
      <VisuallyHidden>Verified</VisuallyHidden>
    </Box>
  );
}

function Visits({ count }: { readonly count: number }) {
  if (count <= 1) return null;
  return (
    <Text span size="xs" c="dimmed">
      {count.toLocaleString()} visits
    </Text>
  );
}

function Pages({ pages }: { readonly pages: readonly PageView[] }) {
  const [first, ...others] = pages;
  if (first === undefined) return null;
  const longest = others.reduce((one, two) => (two.durationMs > one.durationMs ? two : one), first);
  return (
    <>
      <div style={{ whiteSpace: 'normal' }}>{formatRanges(pages.map(({ page }) => page))}</div>
      {others.length === 0 ? null : (
        <Text size="xs" c="dimmed">
          Longest: page {longest.page}, {formatDuration(longest.durationMs)}
        </Text>
      )}
    </>
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
