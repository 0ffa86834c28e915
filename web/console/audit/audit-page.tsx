import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type AuditEvent, AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { SubjectLink } from '../parts/subject-link.tsx';
import { When } from '../parts/when.tsx';
import { AuditFilter } from './audit-filter.tsx';
import type { AuditSearch } from './audit-search.ts';
import { actorTypeOf } from './audit-words.ts';
import { EventDialog } from './event-dialog.tsx';
import { Outcome } from './outcome.tsx';

export function AuditPage() {
  const search = useSearch({ from: '/shell/audit' });
  const [event, setEvent] = useState<AuditEvent>();
  const list = usePaged(
    AuditService.method.listAuditEvents,
    requestOf(search),
    ({ events }) => events,
  );
  const address = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link of the dialog leads out of it
  useEffect(() => setEvent(undefined), [address]);
  return (
    <Page
      title="Audit log"
      about={
        'Who changed what, and who was refused. Nothing here can be changed or deleted; refusals ' +
        'may appear some seconds late.'
      }
      actions={
        <Button variant="default" onClick={list.reload}>
          Reload
        </Button>
      }
    >
      <AuditFilter search={search} />
      <Listing
        label="Events"
        list={list}
        columns={columnsWith(setEvent)}
        idOf={({ id }) => id}
        empty={{
          title: 'Nothing like that has happened',
          text:
            'The log keeps each event for a year, or as long as the service was told to. Ids and ' +
            'actions are found when they are written out in full.',
          action: (
            <TextLink to="/audit" search={{}}>
              Show all events
            </TextLink>
          ),
        }}
      />
      <EventDialog event={event} close={() => setEvent(undefined)} />
    </Page>
  );
}

function columnsWith(open: (event: AuditEvent) => void): readonly Column<AuditEvent>[] {
  return [
    { title: 'Time', cell: ({ createTime }) => <When time={createTime} precision="second" /> },
    { title: 'Action', cell: ({ action }) => action.replace('.', '.\u200b') },
    {
      title: 'Done by',
      cell: ({ actor, actorType }) =>
        actor === '' ? actorTypeOf(actorType) : <SubjectLink id={actor} />,
    },
    {
      title: 'Done to',
      cell: ({ target }) => (target === '' ? 'Not known' : <SubjectLink id={target} />),
    },
    { title: 'Outcome', cell: (event) => <Outcome event={event} /> },
    {
      title: 'More',
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
