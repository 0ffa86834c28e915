import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ActionIcon, Button } from '@mantine/core';
import { IconChevronRight, IconHistory } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type AuditEvent, AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import { AuditEventDrawer } from './audit-event-drawer.tsx';
import { AuditFilterForm } from './audit-filter-form.tsx';
import type { AuditSearch } from './audit-search.ts';
import { EventSentence } from './event-sentence.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

export function AuditScreen() {
  const search = useSearch({ from: '/shell/audit' });
  const [event, setEvent] = useState<AuditEvent>();
  const list = usePagedList(
    AuditService.method.listAuditEvents,
    requestOf(search),
    ({ events }) => events,
  );
  const address = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link in the dialog closes it
  useEffect(() => setEvent(undefined), [address]);
  return (
    <Screen
      title="Audit log"
      about={
        'Changes and refused requests. No one can edit or delete events. Refused requests may ' +
        'appear a few seconds late.'
      }
      actions={
        <Button variant="default" onClick={list.reload}>
          Reload
        </Button>
      }
    >
      <Listing
        label="Events"
        filters={<AuditFilterForm search={search} />}
        list={list}
        columns={columnsWith(setEvent)}
        idOf={({ id }) => id}
        empty={{
          title: 'No matching events',
          icon: IconHistory,
          text:
            'Enter complete IDs and action names. Events are deleted after the retention period, ' +
            'which is one year by default.',
          action: (
            <TextLink to="/audit" search={{}}>
              Show all events
            </TextLink>
          ),
        }}
      />
      <AuditEventDrawer event={event} close={() => setEvent(undefined)} />
    </Screen>
  );
}

function columnsWith(open: (event: AuditEvent) => void): readonly Column<AuditEvent>[] {
  return [
    { title: 'Event', cell: (event) => <EventSentence event={event} /> },
    { title: 'Outcome', isPlain: true, cell: (event) => <OutcomeBadge event={event} /> },
    {
      title: 'Network',
      isMinor: true,
      isAbsent: ({ address }) => address === '',
      cell: ({ address }) => <span className="mono">{address}</span>,
    },
    { title: 'Time', isPlain: true, cell: ({ createTime }) => <DateTime time={createTime} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (event) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          data-opens-row
          onClick={() => open(event)}
          aria-label={`Details of ${event.action}`}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
      ),
    },
  ];
}

function requestOf({ start_time, end_time, ...texts }: AuditSearch) {
  const time = (text: string) => timestampFromDate(new Date(text));
  return {
    ...texts,
    ...(start_time === undefined ? {} : { startTime: time(start_time) }),
    ...(end_time === undefined ? {} : { endTime: time(end_time) }),
  };
}
