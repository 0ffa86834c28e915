/** A table of credentials, with actions for the active ones. */
import { Badge, Group } from '@mantine/core';
import { IconCancel, IconKey, IconRefresh } from '@tabler/icons-react';
import { CredentialState } from '../../../../gen/latchkey/identity/v1/credential_pb.js';
import { CopyableText } from '../copyable-text.tsx';
import { DateTime } from '../date-time.tsx';
import { type Column, Listing, type ListingProps } from '../listing.tsx';
import { RowMenu } from '../row-menu.tsx';
import { ScopesCell } from '../scopes-cell.tsx';
import { type Credential, credentialName } from './credential.ts';

export type CredentialsTableProps<Row extends Credential> = Pick<
  ListingProps<Row>,
  'label' | 'list' | 'empty'
> & {
  /** Whether to show a column of scopes. */
  readonly hasScopes?: boolean;
  /** Absent if not supported or not permitted. */
  readonly rotate?: (credential: Row) => void;
  /** Absent if not permitted. */
  readonly revoke?: (credential: Row) => void;
};

export function CredentialsTable<Row extends Credential>(props: CredentialsTableProps<Row>) {
  const { label, list, empty, hasScopes = false, rotate, revoke } = props;
  const actions: Column<Row> = {
    title: 'Actions',
    isTitleHidden: true,
    cell: (row) => <Actions row={row} rotate={rotate} revoke={revoke} />,
  };
  const columns: readonly Column<Row>[] = [
    { title: 'Name', orderBy: 'name', cell: ({ name }) => name || '—' },
    {
      title: 'ID',
      isSpare: true,
      cell: ({ id }) => <CopyableText text={id} label={`ID ${id}`} isShort />,
    },
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
    ...(rotate === undefined && revoke === undefined ? [] : [actions]),
  ];
  return (
    <Listing
      label={label}
      list={list}
      columns={columns}
      idOf={({ id }) => id}
      empty={{ icon: IconKey, ...empty }}
    />
  );
}

const states: Record<CredentialState, { readonly text: string; readonly color: string }> = {
  [CredentialState.UNSPECIFIED]: { text: 'Unknown', color: 'gray' },
  [CredentialState.LIVE]: { text: 'Active', color: 'teal' },
  [CredentialState.EXPIRED]: { text: 'Expired', color: 'gray' },
  [CredentialState.REVOKED]: { text: 'Revoked', color: 'red' },
};

/** The state, and when the credential ended. */
function State({ state, expireTime, revokeTime }: Credential) {
  const { text, color } = states[state];
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

type ActionsProps<Row> = {
  readonly row: Row;
  readonly rotate: ((credential: Row) => void) | undefined;
  readonly revoke: ((credential: Row) => void) | undefined;
};

function Actions<Row extends Credential>({ row, rotate, revoke }: ActionsProps<Row>) {
  if (hasEnded(row)) return null;
  return (
    <RowMenu
      name={credentialName(row)}
      actions={[
        ...(rotate === undefined
          ? []
          : [{ label: 'Rotate', icon: IconRefresh, run: () => rotate(row) }]),
        ...(revoke === undefined
          ? []
          : [{ label: 'Revoke', icon: IconCancel, run: () => revoke(row) }]),
      ]}
    />
  );
}
