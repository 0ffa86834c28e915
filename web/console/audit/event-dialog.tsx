import { DataList, Modal, Stack, Text } from '@mantine/core';
import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { Copyable } from '../parts/copyable.tsx';
import { Fact } from '../parts/fact.tsx';
import { TextLink } from '../parts/link.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';
import { actorTypeOf } from './audit-words.ts';
import { EventTime } from './event-time.tsx';
import { Outcome } from './outcome.tsx';

type EventDialogProps = {
  readonly event: AuditEvent | undefined;
  readonly close: () => void;
};

export function EventDialog({ event, close }: EventDialogProps) {
  return (
    <Modal opened={event !== undefined} onClose={close} title={event?.action ?? ''} size="lg">
      {event === undefined ? null : <Facts event={event} />}
    </Modal>
  );
}

function Facts({ event }: { readonly event: AuditEvent }) {
  const { id, actor, target, count, requestId, address } = event;
  return (
    <Stack>
      <DataList>
        <Fact label="Time">
          <EventTime event={event} />
        </Fact>
        <Fact label="Done by">
          {actorTypeOf(event.actorType)} {actor === '' ? null : <SubjectLink id={actor} />}
        </Fact>
        <Fact label="Done to">{target === '' ? 'not known' : <SubjectLink id={target} />}</Fact>
        <Fact label="Outcome">
          <Outcome event={event} /> <span className="mono">{event.code}</span>
        </Fact>
        {count > 1 ? (
          <Fact label="How often">
            {count} times within a minute at most; the first of them is told here.
          </Fact>
        ) : null}
        <Fact label="Network address">
          {address === '' ? 'not known' : <span className="mono">{address}</span>}
        </Fact>
        <Fact label="Request id">
          {requestId === '' ? 'none' : <Copyable text={requestId} label="request id" />}
        </Fact>
        <Fact label="Event id">
          <Copyable text={id} label="event id" />
        </Fact>
      </DataList>
      <Text size="sm" component="div">
        <More event={event} />
      </Text>
    </Stack>
  );
}

/** Ways to what happened around it. */
function More({ event: { actor, target, action } }: { readonly event: AuditEvent }) {
  return (
    <Stack gap={4}>
      {actor === '' ? null : (
        <TextLink to="/audit" search={{ actor }}>
          All that was done by {actor}
        </TextLink>
      )}
      {target === '' ? null : (
        <TextLink to="/audit" search={{ target }}>
          All that was done to {target}
        </TextLink>
      )}
      <TextLink to="/audit" search={{ action }}>
        All of {action}
      </TextLink>
    </Stack>
  );
}
