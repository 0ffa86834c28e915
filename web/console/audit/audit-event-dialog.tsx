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
      <More event={event} />
    </Stack>
  );
}

function factsOf(event: AuditEvent): Fact[] {
  const { id, createTime, actor, actorType, target, code, count, requestId, address } = event;
  const unknown = 'Not known';
  return [
    { name: 'Time', value: <DateTime time={createTime} precision="second" /> },
    {
      name: 'Done by',
      value: (
        <>
          {actorTypeOf(actorType)} {actor === '' ? null : <ResourceLink id={actor} />}
        </>
      ),
    },
    { name: 'Done to', value: target === '' ? unknown : <ResourceLink id={target} /> },
    {
      name: 'Outcome',
      value: (
        <>
          <OutcomeBadge event={event} /> <span className="mono">{code}</span>
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
      value: requestId === '' ? 'None' : <CopyableText text={requestId} label="request id" />,
    },
    { name: 'Event id', value: <CopyableText text={id} label="event id" /> },
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
