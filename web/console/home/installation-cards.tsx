/** The credentials that expire soon, and the health of the installation. */
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { useQuery } from '@connectrpc/connect-query';
import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import {
  type Installation,
  InstallationService,
} from '../../../gen/latchkey/identity/v1/installation_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { HomeCard, isLive } from './home-card.tsx';

export function useInstallation() {
  const hasScope = useHasScope();
  return useQuery(
    InstallationService.method.getInstallation,
    {},
    { ...isLive, enabled: hasScope('audit:read') },
  );
}

type CardProps = { readonly query: ReturnType<typeof useInstallation> };

export function ExpiringCredentials({ query }: CardProps) {
  return (
    <HomeCard
      title="Expires soon"
      query={query}
      rows={query.data?.installation?.expiringCredentials}
      empty="No secret and no key expires within 30 days."
      row={({ id, name, ownerId, ownerName, expireTime }) => ({
        id,
        main: <ResourceLink id={ownerId} name={ownerName} />,
        detail: [kindOf(id, ownerId), name].filter(Boolean).join(' · '),
        end: <DateTime time={expireTime} />,
      })}
    />
  );
}

function kindOf(id: string, ownerId: string): string {
  if (id.startsWith('sec_')) return 'Client secret';
  if (id.startsWith('jwk_')) return 'Client key';
  return ownerId.startsWith('cus_') ? 'Customer API key' : 'Workspace API key';
}

export function HealthCard({ query }: CardProps) {
  const installation = query.data?.installation;
  return (
    <HomeCard
      title="Health"
      query={query}
      rows={installation && healthRows(installation)}
      empty=""
      row={({ name, detail, state }) => ({
        id: name,
        main: name,
        detail,
        end: (
          <Badge component="span" variant="light" color={stateColors[state]}>
            {state}
          </Badge>
        ),
      })}
    />
  );
}

const stateColors = {
  OK: 'teal',
  'Not set up': 'orange',
  'Mixed versions': 'orange',
  'No backup': 'orange',
  Problem: 'red',
} as const;

type HealthRow = {
  readonly name: string;
  readonly detail: ReactNode;
  readonly state: keyof typeof stateColors;
};

function healthRows(installation: Installation): HealthRow[] {
  const { mail, blobs, backups, nodes, keyRotations } = installation;
  return [
    ...nodeRows(nodes),
    ...keyRotations.map(({ alg, rotationTime, late }): HealthRow => {
      const detail = (
        <>
          {late ? 'The rotation is late. It was due: ' : 'Next rotation: '}
          <DateTime time={rotationTime} />
        </>
      );
      return { name: `Signing key ${alg}`, detail, state: late ? 'Problem' : 'OK' };
    }),
    ...(mail === undefined ? [] : [mailRow(mail)]),
    blobs === undefined || blobs.problem === ''
      ? { name: 'Documents', detail: 'The store works.', state: 'OK' }
      : { name: 'Documents', detail: blobs.problem, state: 'Problem' },
    ...(backups === undefined ? [] : [backupRow(backups)]),
  ];
}

const nodesShown = 8;

function nodeRows(nodes: Installation['nodes']): HealthRow[] {
  const isMixed = new Set(nodes.map(({ version }) => version)).size > 1;
  const rows = nodes.slice(0, nodesShown).map(({ name, version, processCount, startTime }) => ({
    name: `Node ${name}`,
    detail: (
      <>
        Version {version}
        {processCount > 1 ? `, ${processCount} processes` : ''}, started{' '}
        <DateTime time={startTime} />
      </>
    ),
    state: isMixed ? ('Mixed versions' as const) : ('OK' as const),
  }));
  const rest = nodes.length - nodesShown;
  if (rest <= 0) return rows;
  return [...rows, { name: `${rest} more nodes`, detail: undefined, state: 'OK' }];
}

/** An email that waits longer has failed at least once. */
const waitMs = 10 * 60_000;

function mailRow(mail: NonNullable<Installation['mail']>): HealthRow {
  const name = 'Email';
  const { serverConfigured, problem, waitingCount, oldestWaitingTime } = mail;
  if (problem !== '') return { name, detail: problem, state: 'Problem' };
  if (!serverConfigured) {
    const detail = 'LATCHKEY_SMTP_URL is not set. The service writes emails to files.';
    return { name, detail, state: 'Not set up' };
  }
  if (waitingCount === 0) return { name, detail: 'No email is waiting.', state: 'OK' };
  const detail = (
    <>
      {waitingCount.toLocaleString()} waiting, the oldest was due{' '}
      <DateTime time={oldestWaitingTime} />
    </>
  );
  return { name, detail, state: isOlderThan(waitMs, oldestWaitingTime) ? 'Problem' : 'OK' };
}

function backupRow(backups: NonNullable<Installation['backups']>): HealthRow {
  const name = 'Backups';
  const { targetConfigured, problem, newestTime, late } = backups;
  if (problem !== '') return { name, detail: problem, state: 'Problem' };
  if (!targetConfigured) {
    const detail = 'LATCHKEY_BACKUP_TARGET is not set.';
    return { name, detail, state: 'Not set up' };
  }
  if (newestTime === undefined)
    return { name, detail: 'The target contains no backup.', state: 'No backup' };
  const detail = (
    <>
      {late ? 'A backup is missing. The newest: ' : 'The newest: '}
      <DateTime time={newestTime} />
    </>
  );
  return { name, detail, state: late ? 'Problem' : 'OK' };
}

const isOlderThan = (ms: number, time: Timestamp | undefined) =>
  time !== undefined && Number(time.seconds) * 1000 < Date.now() - ms;
