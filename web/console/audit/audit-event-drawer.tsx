import { toJsonString } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type AuditEvent, AuditEventSchema } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { VerificationService } from '../../../gen/latchkey/identity/v1/verification_pb.js';
import { tokenSecondsMax } from '../../../src/base/limits/token-seconds.ts';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText, CopyButton } from '../shared/copyable-text.tsx';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { DateTime } from '../shared/date-time.tsx';
import { useDialog } from '../shared/dialog-state.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { FactList, type OptionalFact } from '../shared/facts.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';
import classes from './audit.module.css';
import { actorTypeOf } from './audit-labels.ts';
import { targetWorkspaceId } from './audit-words.ts';
import { EventSentence } from './event-sentence.tsx';
import { OutcomeBadge } from './outcome-badge.tsx';

export function AuditEventDrawer({ event }: { readonly event: AuditEvent }) {
  const { isOpen, close } = useDialog();
  const { searchStr } = useLocation();
  const first = useRef(searchStr);
  // A link in the drawer filters the list behind it.
  useEffect(() => {
    if (isOpen && searchStr !== first.current) close();
  });
  return (
    <Drawer opened={isOpen} onClose={close} position="right" size="md" title="Event">
      <Event event={event} />
    </Drawer>
  );
}

function Event({ event }: { readonly event: AuditEvent }) {
  return (
    <Stack>
      <Text>
        <EventSentence event={event} />
      </Text>
      <FactList facts={factsOf(event)} />
      <RelatedEvents event={event} />
      <RevokeToken event={event} />
      <RawEvent event={event} />
    </Stack>
  );
}

function factsOf(event: AuditEvent): OptionalFact[] {
  const { id, createTime, actor, actorName, actorType, action, code, count } = event;
  const { target, targetName, targetParents, requestId, address, reason } = event;
  const { actingClient, tokenId } = event;
  const workspaceId = targetWorkspaceId(event);
  const unknown = '—';
  return [
    { name: 'Time', value: <DateTime time={createTime} precision="second" /> },
    {
      name: 'Actor',
      value: (
        <>
          {actorTypeOf(actorType)}{' '}
          {actor === '' ? null : <CopyableResource id={actor} name={actorName} label="actor ID" />}
        </>
      ),
    },
    actingClient !== '' && {
      name: 'Acting client',
      value: <CopyableResource id={actingClient} name="" label="client ID" />,
    },
    tokenId !== '' && {
      name: 'Token ID',
      value: <CopyableText text={tokenId} label="token ID" />,
    },
    {
      name: 'Target',
      value:
        target === '' ? (
          unknown
        ) : (
          <CopyableResource
            id={target}
            name={targetName}
            workspaceId={workspaceId}
            label="target ID"
          />
        ),
    },
    ...targetParents.map((parent) => {
      const name = parentKinds[kindOf(parent.id)] ?? 'Resource';
      const label = `${name.toLowerCase()} ID`;
      return { name, value: <CopyableResource {...parent} {...{ workspaceId, label }} /> };
    }),
    { name: 'Action', value: <span className="mono">{action}</span> },
    {
      name: 'Outcome',
      value: (
        <>
          <OutcomeBadge event={event} /> <span className="mono">{code}</span>
        </>
      ),
    },
    reason !== '' && { name: 'Reason', value: reason },
    count > 1 && {
      name: 'Count',
      value: `${count} times. The details are those of the first event.`,
    },
    {
      name: 'IP address',
      value: address === '' ? unknown : <span className="mono">{address}</span>,
    },
    {
      name: 'Request ID',
      value: requestId === '' ? unknown : <CopyableText text={requestId} label="request ID" />,
    },
    { name: 'Event ID', value: <CopyableText text={id} label="event ID" isShort /> },
  ];
}

/** The names of the resources that a target belongs to, by the prefix of their IDs. */
const parentKinds: Record<string, string> = {
  cli: 'Client',
  cus: 'Customer',
  doc: 'Document',
  usr: 'User',
  ws: 'Workspace',
};

const kindOf = (id: string) => id.slice(0, id.indexOf('_'));

type CopyableResourceProps = Parameters<typeof ResourceLink>[0] & { readonly label: string };

function CopyableResource({ label, ...resource }: CopyableResourceProps) {
  return (
    <Group component="span" display="inline-flex" gap={4} wrap="nowrap" maw="100%">
      <ResourceLink {...resource} />
      <CopyButton text={resource.id} label={label} isIcon />
    </Group>
  );
}

/** Links to related events. */
function RelatedEvents({ event }: { readonly event: AuditEvent }) {
  const { actor, target, action, tokenId } = event;
  return (
    <Stack gap={4}>
      {actor === '' ? null : (
        <TextLink to="/audit" search={{ actor }}>
          All events by this actor
        </TextLink>
      )}
      {tokenId === '' ? null : (
        <TextLink to="/audit" search={{ token_id: tokenId }}>
          All events with this token
        </TextLink>
      )}
      {target === '' ? null : (
        <TextLink to="/audit" search={{ target }}>
          All events on this target
        </TextLink>
      )}
      <TextLink to="/audit" search={{ action }}>
        All events with this action
      </TextLink>
    </Stack>
  );
}

function RevokeToken({ event: { tokenId, createTime } }: { readonly event: AuditEvent }) {
  const { confirm } = useDialogs();
  const mayRevoke = useHasScope()('tokens:write');
  const revoke = useMethod(VerificationService.method.revokeToken);
  const callTime = createTime === undefined ? 0 : timestampMs(createTime);
  const hasExpired = callTime < Date.now() - tokenSecondsMax * 1000;
  if (tokenId === '' || hasExpired || !mayRevoke) return null;
  const ask = () =>
    confirm({
      title: 'Revoke the token of this event?',
      consequence:
        'It’s rejected within a second, and so are tokens that clients got by exchanging it. Its ' +
        'owner can get a new one. ' +
        `${offlineVerificationNote('within an hour')} You can’t undo this.`,
      label: 'Revoke token',
      done: 'Token revoked',
      run: () => revoke({ tokenId }),
    });
  return (
    <Button variant="default" mr="auto" onClick={ask}>
      Revoke token
    </Button>
  );
}

/** The event as the API returns it. */
function RawEvent({ event }: { readonly event: AuditEvent }) {
  const json = toJsonString(AuditEventSchema, event, { prettySpaces: 2, useProtoFieldName: true });
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="xs" c="dimmed">
          Raw event
        </Text>
        <CopyButton text={json} label="raw event" isIcon />
      </Group>
      <pre className={classes.raw}>{json}</pre>
    </div>
  );
}
