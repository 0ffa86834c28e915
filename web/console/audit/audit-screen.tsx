import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type AuditEvent, AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import { AuditEventDialog } from './audit-event-dialog.tsx';
import { AuditFilterForm } from './audit-filter-form.tsx';
import { actorTypeOf } from './audit-labels.ts';
import type { AuditSearch } from './audit-search.ts';
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
      <AuditFilterForm search={search} />
      <Listing
        label="Events"
        list={list}
        columns={columnsWith(setEvent)}
        idOf={({ id }) => id}
        empty={{
          title: 'No matching events',
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
      <AuditEventDialog event={event} close={() => setEvent(undefined)} />
    </Screen>
  );
}

function columnsWith(open: (event: AuditEvent) => void): readonly Column<AuditEvent>[] {
  return [
    { title: 'Time', cell: ({ createTime }) => <DateTime time={createTime} precision="second" /> },
    { title: 'Action', cell: ({ action }) => action.replace('.', '.\u200b') },
    {
      title: 'Actor',
      cell: ({ actor, actorType }) =>
        actor === '' ? actorTypeOf(actorType) : <ResourceLink id={actor} />,
    },
    {
      title: 'Target',
      cell: ({ target }) => (target === '' ? '—' : <ResourceLink id={target} />),
    },
    { title: 'Outcome', cell: (event) => <OutcomeBadge event={event} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (event) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => open(event)}
          aria-label={`Details of ${event.action}`}
        >
          Details
        </Button>
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
