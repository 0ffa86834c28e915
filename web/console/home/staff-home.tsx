/** The state of the installation: its resources, what needs attention, and the last changes. */
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { useQuery } from '@connectrpc/connect-query';
import { Button, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { type AuditEvent, AuditService } from '../../../gen/latchkey/identity/v1/audit_pb.js';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import {
  type Installation,
  InstallationService,
} from '../../../gen/latchkey/identity/v1/installation_pb.js';
import { UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useOwnFactors } from '../account/use-own-factors.ts';
import { EventSentence } from '../audit/event-sentence.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { FigureRow } from '../shared/figure-row.tsx';
import { sendsMail } from '../shared/no-mail-note.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useMethod } from '../shared/use-method.ts';
import { Checklist } from './checklist.tsx';
import classes from './home.module.css';
import { HomeCard, isLive } from './home-card.tsx';
import { ExpiringCredentials, HealthCard, useInstallation } from './installation-cards.tsx';

const dayMs = 86_400_000;

export function StaffHome() {
  const hasScope = useHasScope();
  const installation = useInstallation();
  return (
    <Screen>
      <SetUp installation={installation.data?.installation} />
      <Figures />
      {hasScope('audit:read') ? (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <ExpiringCredentials query={installation} />
          <HealthCard query={installation} />
          <FailedAuthentications />
          <LastChanges />
        </SimpleGrid>
      ) : null}
    </Screen>
  );
}

function SetUp({ installation }: { readonly installation: Installation | undefined }) {
  const { backups, masterKey } = installation ?? {};
  const factors = useOwnFactors();
  const staff = useQuery(UserService.method.listUsers, { kind: UserKind.STAFF, pageSize: 1 });
  if (!factors.isLoaded || staff.data === undefined) return null;
  return (
    <Checklist
      steps={[
        {
          title: 'Use HTTPS',
          text:
            'Put a proxy with a certificate in front of the service, or set LATCHKEY_TLS_CERT ' +
            'and LATCHKEY_TLS_KEY. Set LATCHKEY_PUBLIC_URL to the https:// address.',
          isDone: location.protocol === 'https:',
        },
        {
          title: 'Set up a mail server',
          text:
            'The service sends codes, invitations and notices by email. Set LATCHKEY_SMTP_URL ' +
            'and LATCHKEY_MAIL_FROM.',
          isDone: sendsMail(),
        },
        {
          title: 'Protect your account',
          text: 'Add a passkey or an authenticator app.',
          isDone: factors.hasFactor,
          action: <TextLink to="/account">Your account</TextLink>,
        },
        {
          title: 'Add a second staff user',
          text: 'If one staff user loses the password, another one can set a new one.',
          isDone: staff.data.totalSize > 1,
          action: <TextLink to="/users">Users</TextLink>,
        },
        ...(masterKey?.inFile === true
          ? [
              {
                title: 'Copy the master key',
                text:
                  'Copy the file master.key of the data folder to a place outside this server: ' +
                  'without it, the signing keys and second factors in a restored database ' +
                  'cannot be decrypted.',
                isDone: masterKey.copyConfirmTime !== undefined,
                action: <ConfirmCopyButton />,
              },
            ]
          : []),
        ...(backups === undefined
          ? []
          : [
              {
                title: 'Make a first backup',
                text:
                  'Set LATCHKEY_BACKUP_SCHEDULE, LATCHKEY_BACKUP_TARGET and ' +
                  'LATCHKEY_BACKUP_RECIPIENT. Keep the private key of the backups elsewhere.',
                isDone: backups.newestTime !== undefined,
              },
            ]),
      ]}
    />
  );
}

/** The service cannot know whether a copy exists. */
function ConfirmCopyButton() {
  const { confirm } = useDialogs();
  const confirmCopy = useMethod(InstallationService.method.confirmMasterKeyCopy);
  if (!useHasScope()('signing_keys:write')) return null;
  const ask = () =>
    confirm({
      title: 'Does a copy of the master key exist outside this server?',
      consequence:
        'The setup shows this step as done until the key is rotated. The audit log records your ' +
        'confirmation.',
      label: 'A copy exists',
      isDestructive: false,
      done: 'Copy confirmed',
      run: () => confirmCopy({}),
    });
  return (
    <Button variant="default" size="xs" onClick={ask}>
      I have copied it
    </Button>
  );
}

const one = { pageSize: 1 };

function Figures() {
  const hasScope = useHasScope();
  const clients = useQuery(ClientService.method.listClients, one, {
    enabled: hasScope('clients:read'),
  });
  const customers = useQuery(CustomerService.method.listCustomers, one, {
    enabled: hasScope('customers:read'),
  });
  const workspaces = useQuery(WorkspaceService.method.listWorkspaces, one, {
    enabled: hasScope('workspaces:read'),
  });
  const figures = [
    { name: 'Clients', to: '/clients', scope: 'clients:read', query: clients },
    { name: 'Customers', to: '/customers', scope: 'customers:read', query: customers },
    { name: 'Workspaces', to: '/workspaces', scope: 'workspaces:read', query: workspaces },
  ] as const;
  const shown = figures
    .filter(({ scope }) => hasScope(scope))
    .map(({ name, to, query }) => ({
      name,
      link: <TextLink to={to}>{name}</TextLink>,
      value: query.data?.totalSize.toLocaleString() ?? '—',
    }));
  return shown.length === 0 ? null : <FigureRow figures={shown} />;
}

function FailedAuthentications() {
  const [startTime] = useState(() => timestampFromMs(Date.now() - dayMs));
  const code = 'identity.credential_invalid';
  const events = useQuery(
    AuditService.method.listAuditEvents,
    { code, startTime, pageSize: 5 },
    isLive,
  );
  const search = { code, start_time: new Date(timestampMs(startTime)).toISOString() };
  return (
    <Events
      title="Failed authentications"
      all={
        <TextLink to="/audit" search={search}>
          All in 24 hours
        </TextLink>
      }
      query={events}
      rows={events.data?.events}
      empty="No authentication failed in the last 24 hours."
    />
  );
}

function LastChanges() {
  const events = useQuery(AuditService.method.listAuditEvents, { code: 'ok', pageSize: 5 }, isLive);
  return (
    <Events
      title="Last changes"
      all={<TextLink to="/audit">Audit log</TextLink>}
      query={events}
      rows={events.data?.events}
      empty="Nothing has changed yet."
    />
  );
}

type EventsProps = Omit<Parameters<typeof HomeCard<AuditEvent>>[0], 'row'>;

function Events(props: EventsProps) {
  return (
    <HomeCard
      {...props}
      row={(event) => ({
        id: event.id,
        main: (
          <span className={classes.sentence}>
            <EventSentence event={event} />
          </span>
        ),
        end: <DateTime time={event.createTime} />,
      })}
    />
  );
}
