/** SignInCredentials of any kind, with what can be done to one that is live. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { CredentialState } from '../../../../gen/latchkey/identity/v1/credential_pb.js';
import { DateTime } from '../date-time.tsx';
import { type Column, Listing, type ListingProps } from '../listing.tsx';
import { ScopesCell } from '../scopes-cell.tsx';
import { type Credential, credentialName } from './credential.ts';

export type CredentialsTableProps<Row extends Credential> = Pick<
  ListingProps<Row>,
  'label' | 'list' | 'empty'
> & {
  /** Whether each has scopes of its own. */
  readonly hasScopes?: boolean;
  /** Absent where they are not replaced one by one, or not by this user. */
  readonly rotate?: (credential: Row) => void;
  /** Absent where the user may not. */
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
    { title: 'Name', cell: (row) => <Name {...row} /> },
    ...(hasScopes
      ? [{ title: 'Scopes', cell: ({ scopes = [] }: Row) => <ScopesCell scopes={scopes} /> }]
      : []),
    { title: 'State', cell: ({ state }) => <State state={state} /> },
    { title: 'Created', cell: ({ createTime }) => <DateTime time={createTime} /> },
    { title: 'Ends', cell: (row) => <End {...row} /> },
    { title: 'Last used', cell: ({ lastUsedTime }) => <DateTime time={lastUsedTime} /> },
    ...(rotate === undefined && revoke === undefined ? [] : [actions]),
  ];
  return (
    <Listing label={label} list={list} columns={columns} idOf={({ id }) => id} empty={empty} />
  );
}

function Name({ id, name }: Credential) {
  return (
    <Stack gap={0}>
      {name === '' ? <Text size="sm">No name</Text> : <Text size="sm">{name}</Text>}
      <Text size="xs" c="dimmed" className="mono">
        {id}
      </Text>
    </Stack>
  );
}

const states: Record<CredentialState, { readonly text: string; readonly color: string }> = {
  [CredentialState.UNSPECIFIED]: { text: 'Unknown', color: 'gray' },
  [CredentialState.LIVE]: { text: 'Live', color: 'teal' },
  [CredentialState.EXPIRED]: { text: 'Expired', color: 'gray' },
  [CredentialState.REVOKED]: { text: 'Revoked', color: 'red' },
};

function State({ state }: Pick<Credential, 'state'>) {
  const { text, color } = states[state];
  return (
    <Badge variant="light" color={color}>
      {text}
    </Badge>
  );
}

function End({ state, expireTime, revokeTime }: Credential) {
  if (state === CredentialState.LIVE) return <DateTime time={expireTime} />;
  return (
    <span>
      ended <DateTime time={state === CredentialState.REVOKED ? revokeTime : expireTime} />
    </span>
  );
}

type ActionsProps<Row> = {
  readonly row: Row;
  readonly rotate: ((credential: Row) => void) | undefined;
  readonly revoke: ((credential: Row) => void) | undefined;
};

function Actions<Row extends Credential>({ row, rotate, revoke }: ActionsProps<Row>) {
  if (row.state !== CredentialState.LIVE) return null;
  const name = credentialName(row);
  return (
    <Group gap="xs" wrap="nowrap">
      {rotate === undefined ? null : (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Rotate ${name}`}
          onClick={() => rotate(row)}
        >
          Rotate
        </Button>
      )}
      {revoke === undefined ? null : (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Revoke ${name}`}
          onClick={() => revoke(row)}
        >
          Revoke
        </Button>
      )}
    </Group>
  );
}
