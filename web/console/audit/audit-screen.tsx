import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ActionIcon, Button, Menu } from '@mantine/core';
import {
  IconChevronRight,
  IconDownload,
  IconFileTypeCsv,
  IconHistory,
  IconJson,
} from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { type AuditEvent, AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { fetchBytes } from '../session/fetch-bytes.ts';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { type FilterValues, readFilters } from '../shared/lists/filters.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { Screen } from '../shared/screen.tsx';
import { type Download, useDownload } from '../shared/use-download.ts';
import { AuditEventDrawer } from './audit-event-drawer.tsx';
import {
  ActionFilter,
  ActorFilter,
  TargetFilter,
  useActionText,
  useResourceName,
} from './audit-filters.tsx';
import { outcomeCodes, outcomeOf } from './audit-labels.ts';
import { EventSentence } from './event-sentence.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

const outcomes = Object.fromEntries(outcomeCodes.map((code) => [code, outcomeOf(code).text]));

const events = defineList({
  label: 'Events',
  method: AuditService.method.listAuditEvents,
  rows: (page) => page.events,
  request: requestOf,
  filters: {
    actor: { label: 'Actor', field: ActorFilter, useText: useResourceName },
    target: { label: 'Target', field: TargetFilter, useText: useResourceName },
    action: { label: 'Action', field: ActionFilter, useText: useActionText },
    code: { label: 'Outcome', choices: outcomes, describe: (code) => outcomeOf(code).text },
    // The order keeps both times in one row, with two columns and with three.
    start_time: { label: 'From', kind: 'time' },
    end_time: { label: 'To', kind: 'time' },
    token_id: { label: 'Token ID', placeholder: 'The claim jti', maxLength: 128 },
  },
  columns: [
    { title: 'Event', cell: (event) => <EventSentence event={event} /> },
    { title: 'Outcome', isPlain: true, cell: (event) => <OutcomeBadge event={event} /> },
    {
      title: 'Network',
      isMinor: true,
      isAbsent: ({ address }) => address === '',
      cell: ({ address }) => <span className="mono">{address}</span>,
    },
    { title: 'Time', isPlain: true, cell: ({ createTime }) => <DateTime time={createTime} /> },
    { title: 'Actions', isTitleHidden: true, cell: (event) => <Details event={event} /> },
  ],
});

export function AuditScreen() {
  const list = useList(events, {});
  const exports = useExports(readFilters(events.filters, useSearch({ strict: false })));
  const none = {
    title: 'No matching events',
    text:
      'Choose people, resources and actions from the lists, or enter complete IDs. Events are ' +
      'deleted after the retention period, which is one year by default.',
    icon: IconHistory,
  };
  return (
    <Screen
      about={
        'Changes, refused changes and failed authentications. No one can edit or delete events. ' +
        'Refusals may appear a few seconds late.'
      }
      actions={
        <>
          <ExportMenu exports={exports} />
          <Button variant="default" onClick={list.reload}>
            Reload
          </Button>
        </>
      }
    >
      <ExportErrors exports={exports} />
      <Listing list={list} empty={none} noMatch={none} />
    </Screen>
  );
}

AuditScreen.reads = [events];

function Details({ event }: { readonly event: AuditEvent }) {
  const { open } = useDialogs();
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      data-opens-row
      onClick={() => open(<AuditEventDrawer event={event} />)}
      aria-label={`Details of ${event.action}`}
    >
      <IconChevronRight size={18} />
    </ActionIcon>
  );
}

type AuditSearch = {
  readonly token_id?: string;
  readonly start_time?: string;
  readonly end_time?: string;
};

function requestOf({ token_id, start_time, end_time, ...texts }: AuditSearch) {
  const time = (text: string) => timestampFromDate(new Date(text));
  return {
    ...texts,
    ...(token_id === undefined ? {} : { tokenId: token_id }),
    ...(start_time === undefined ? {} : { startTime: time(start_time) }),
    ...(end_time === undefined ? {} : { endTime: time(end_time) }),
  };
}

type Format = 'csv' | 'ndjson';

type Exports = Readonly<Record<Format, Download>>;

/** Downloads all events that match the filters. */
function useExports(filters: FilterValues): Exports {
  return { csv: useExport('csv', filters), ndjson: useExport('ndjson', filters) };
}

function useExport(format: Format, filters: FilterValues): Download {
  const query = new URLSearchParams({ ...filters, format });
  return useDownload({
    name: `audit-events.${format}`,
    fetch: (session) => fetchBytes(session, `/audit-events:export?${query}`),
  });
}

function ExportMenu({ exports: { csv, ndjson } }: { readonly exports: Exports }) {
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          loading={csv.isPending || ndjson.isPending}
        >
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFileTypeCsv size={16} />} onClick={csv.start}>
          CSV, for spreadsheets
        </Menu.Item>
        <Menu.Item leftSection={<IconJson size={16} />} onClick={ndjson.start}>
          NDJSON, for programs
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ExportErrors({ exports }: { readonly exports: Exports }) {
  return Object.entries(exports).map(([format, { error, start }]) =>
    error === undefined ? null : <ErrorAlert key={format} error={error} retry={start} />,
  );
}
