import { Modal, Stack } from '@mantine/core';
import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { Copyable } from '../parts/copyable.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { TextLink } from '../parts/link.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';
import { When } from '../parts/when.tsx';
import { actorTypeOf } from './audit-words.ts';
import { Outcome } from './outcome.tsx';

type EventDialogProps = {
  readonly event: AuditEvent | undefined;
  readonly close: () => void;
};

export function EventDialog({ event, close }: EventDialogProps) {
  return (
    <Modal opened={event !== undefined} onClose={close} title={event?.action ?? ''} size="lg">
      {event === undefined ? null : <Event event={event} />}
    </Modal>
  );
}

function Event({ event }: { readonly event: AuditEvent }) {
  return (
    <Stack>
      <Facts facts={factsOf(event)} />
      <More event={event} />
    </Stack>
  );
}

function factsOf(event: AuditEvent): Fact[] {
  const { id, createTime, actor, actorType, target, code, count, requestId, address } = event;
  const unknown = 'Not known';
  return [
    { name: 'Time', value: <When time={createTime} precision="second" /> },
    {
      name: 'Done by',
      value: (
        <>
          {actorTypeOf(actorType)} {actor === '' ? null : <SubjectLink id={actor} />}
        </>
      ),
    },
    { name: 'Done to', value: target === '' ? unknown : <SubjectLink id={target} /> },
    {
      name: 'Outcome',
      value: (
        <>
          <Outcome event={event} /> <span className="mono">{code}</span>
        </>
      ),
    },
    ...(count > 1
      ? [{ name: 'How often', value: `${count} times; the first of them is the one told here.` }]
      : []),
    {
      name: 'Network address',
      value: address === '' ? unknown : <span className="mono">{address}</span>,
    },
    {
      name: 'Request id',
      value: requestId === '' ? 'None' : <Copyable text={requestId} label="request id" />,
    },
    { name: 'Event id', value: <Copyable text={id} label="event id" /> },
  ];
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
