import { Modal, Stack } from '@mantine/core';
import type { AuditEvent } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Fact, Facts } from '../shared/facts.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { actorTypeOf } from './audit-labels.ts';
import { OutcomeBadge } from './outcome-badge.tsx';

type AuditEventDialogProps = {
  readonly event: AuditEvent | undefined;
  readonly close: () => void;
};

export function AuditEventDialog({ event, close }: AuditEventDialogProps) {
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
      <RelatedEvents event={event} />
    </Stack>
  );
}

function factsOf(event: AuditEvent): Fact[] {
  const { id, createTime, actor, actorType, target, code, count, requestId, address } = event;
  const unknown = '—';
  return [
    { name: 'Time', value: <DateTime time={createTime} precision="second" /> },
    {
      name: 'Actor',
      value: (
        <>
          {actorTypeOf(actorType)} {actor === '' ? null : <ResourceLink id={actor} />}
        </>
      ),
    },
    { name: 'Target', value: target === '' ? unknown : <ResourceLink id={target} /> },
    {
      name: 'Outcome',
      value: (
        <>
          <OutcomeBadge event={event} /> <span className="mono">{code}</span>
        </>
      ),
    },
    ...(count > 1
      ? [{ name: 'Count', value: `${count} times. The details are those of the first event.` }]
      : []),
    {
      name: 'IP address',
      value: address === '' ? unknown : <span className="mono">{address}</span>,
    },
    {
      name: 'Request ID',
      value: requestId === '' ? unknown : <CopyableText text={requestId} label="request ID" />,
    },
    { name: 'Event ID', value: <CopyableText text={id} label="event ID" /> },
  ];
}

/** Links to related events. */
function RelatedEvents({ event: { actor, target, action } }: { readonly event: AuditEvent }) {
  return (
    <Stack gap={4}>
      {actor === '' ? null : (
        <TextLink to="/audit" search={{ actor }}>
          All events by {actor}
        </TextLink>
      )}
      {target === '' ? null : (
        <TextLink to="/audit" search={{ target }}>
          All events on {target}
        </TextLink>
      )}
      <TextLink to="/audit" search={{ action }}>
        All {action} events
      </TextLink>
    </Stack>
  );
}
