/** The columns of credentials, and the actions of their rows. */
import { Badge, Group } from '@mantine/core';
import { IconCancel, IconChartBar, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { CredentialState } from '../../../../gen/latchkey/identity/v1/credential_pb.js';
import { useUsageDrawer } from '../../usage/usage-drawer.tsx';
import { CopyableText } from '../copyable-text.tsx';
import { createdByColumn } from '../creation.tsx';
import { DateTime } from '../date-time.tsx';
import { useDialogs } from '../dialogs.tsx';
import { isolateName } from '../isolate-name.tsx';
import type { Column } from '../lists/define-list.ts';
import { RowMenu } from '../lists/row-menu.tsx';
import { ScopesCell } from '../scopes-cell.tsx';
import { type Credential, credentialName } from './credential.ts';
import { RotateKeyDialog, type RotateKeyDialogProps } from './key-dialogs.tsx';

export type CredentialColumns<Row> = {
  /** Whether to show a column of scopes. */
  readonly hasScopes?: boolean;
  /** Columns after the ID. */
  readonly more?: readonly Column<Row>[];
  /** A `CredentialActions`. */
  readonly actions: (row: Row) => ReactNode;
  /** The scope that the actions require. */
  readonly scope: string;
};

export function credentialColumns<Row extends Credential>(
  options: CredentialColumns<Row>,
): readonly Column<Row>[] {
  const { hasScopes = false, more = [], actions, scope } = options;
  return [
    { title: 'Name', orderBy: 'name', cell: ({ name }) => name || '—' },
    {
      title: 'ID',
      isSpare: true,
      cell: ({ id }) => <CopyableText text={id} label={`ID ${id}`} isShort />,
    },
    ...more,
    ...(hasScopes
      ? [{ title: 'Scopes', cell: ({ scopes = [] }: Row) => <ScopesCell scopes={scopes} /> }]
      : []),
    { title: 'State', isPlain: true, cell: (row) => <State {...row} /> },
    {
      title: 'Expires',
      isAbsent: hasEnded,
      cell: ({ expireTime }) => <DateTime time={expireTime} />,
    },
    { title: 'Last used', cell: ({ lastUsedTime }) => <DateTime time={lastUsedTime} /> },
    {
      title: 'Created',
      orderBy: 'create_time',
      isNewestFirst: true,
      isMinor: true,
      cell: ({ createTime }) => <DateTime time={createTime} />,
    },
    createdByColumn<Row>(),
    {
      title: 'Actions',
      isTitleHidden: true,
      scope,
      cell: actions,
    },
  ];
}

const states: Record<CredentialState, { readonly text: string; readonly color: string }> = {
  [CredentialState.UNSPECIFIED]: { text: 'Unknown', color: 'gray' },
  [CredentialState.LIVE]: { text: 'Active', color: 'teal' },
  [CredentialState.EXPIRED]: { text: 'Expired', color: 'gray' },
  [CredentialState.REVOKED]: { text: 'Revoked', color: 'red' },
};

/** A secret of another server, before its first use. */
const imported = { text: 'Imported', color: 'blue' };

/** The state, and when the credential ended. */
function State({ state, expireTime, revokeTime, importPending }: Credential) {
  const isImported = importPending === true && state === CredentialState.LIVE;
  const { text, color } = isImported ? imported : states[state];
  const endTime = state === CredentialState.REVOKED ? revokeTime : expireTime;
  return (
    <Group component="span" display="inline-flex" gap="xs" wrap="nowrap">
      <Badge variant="light" color={color}>
        {text}
      </Badge>
      {hasEnded({ state }) ? <DateTime time={endTime} absent="" /> : null}
    </Group>
  );
}

const hasEnded = ({ state }: Pick<Credential, 'state'>) => state !== CredentialState.LIVE;

export type CredentialActionsProps = {
  readonly credential: Credential;
  /** The consequences of a revocation. */
  readonly consequence: string;
  readonly revoke: () => Promise<unknown>;
  /** The message after a revocation. */
  readonly done?: string;
  /** Whether its usage is counted. By default true. */
  readonly hasUsage?: boolean;
  /** Absent if it cannot be rotated. */
  readonly rotation?: Omit<RotateKeyDialogProps, 'old'>;
};

/** A credential that has ended can only show its usage. */
export function CredentialActions(props: CredentialActionsProps) {
  const { credential, consequence, revoke, done, hasUsage = true, rotation } = props;
  const { open, confirm } = useDialogs();
  const name = credentialName(credential);
  const showUsage = useUsageDrawer(credential.id, name);
  const isLive = !hasEnded(credential);
  const ask = () =>
    confirm({
      title: `Revoke ${isolateName(name)}?`,
      consequence: `${consequence} You can’t undo this.`,
      label: 'Revoke',
      run: revoke,
      done,
    });
  return (
    <RowMenu
      name={name}
      actions={[
        hasUsage &&
          showUsage !== undefined && { label: 'Usage', icon: IconChartBar, run: showUsage },
        isLive &&
          rotation !== undefined && {
            label: 'Rotate',
            icon: IconRefresh,
            run: () => open(<RotateKeyDialog old={credential} {...rotation} />),
          },
        isLive && { label: 'Revoke', icon: IconCancel, run: ask },
      ]}
    />
  );
}
