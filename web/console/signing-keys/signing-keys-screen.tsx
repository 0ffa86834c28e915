import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import {
  type SigningKey,
  SigningKeyService,
} from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyButton } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { Screen } from '../shared/screen.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { KeyActions } from './key-actions.tsx';
import {
  isActive,
  isPending,
  isPublished,
  isReady,
  momentsOf,
  shortKid,
  stateLabel,
} from './key-lifecycle.ts';
import { TimeLine } from './time-line.tsx';
import { useCurrentTime } from './use-current-time.ts';
import { useScheduledReload } from './use-scheduled-reload.ts';

/** So many that are gone stand on the time line, beside those that are published. */
const goneShown = 4;

export function SigningKeysScreen() {
  const hasScope = useHasScope();
  const mayWrite = hasScope('signing_keys:write');
  const create = useMethod(SigningKeyService.method.createSigningKey);
  const creating = usePendingAction();
  const list = usePagedList(
    SigningKeyService.method.listSigningKeys,
    {},
    ({ signingKeys }) => signingKeys,
  );
  const now = useCurrentTime();
  const keys = list.rows ?? [];
  useScheduledReload(keys, now, list.reload);
  return (
    <Screen
      title="Signing keys"
      about={
        'They sign the tokens that this service hands out. They take turns by themselves; act ' +
        'here only to have the next one sooner, or when one has leaked.'
      }
      actions={
        mayWrite ? (
          <Button loading={creating.isPending} onClick={() => void creating.run(() => create({}))}>
            Create key
          </Button>
        ) : undefined
      }
    >
      {creating.error === undefined ? null : <ErrorAlert error={creating.error} />}
      {keys.length === 0 ? null : (
        <Stack>
          <Outlook keys={keys} now={now} />
          <TimeLine keys={shownOf(keys)} now={now} />
        </Stack>
      )}
      <Listing
        label="Signing keys"
        list={list}
        columns={columnsAt(now, mayWrite ? waitingOf(keys) : undefined)}
        idOf={({ kid }) => kid}
        empty={{ title: 'No keys', text: 'Create one: without a key no token can be signed.' }}
      />
    </Screen>
  );
}

/** `waiting`: undefined where the user may only look. */
function columnsAt(
  now: number,
  waiting: readonly SigningKey[] | undefined,
): readonly Column<SigningKey>[] {
  const columns: readonly Column<SigningKey>[] = [
    {
      title: 'Key',
      cell: (key) => (
        <Group gap="xs" wrap="nowrap">
          <Kid signingKey={key} />
          <CopyButton text={key.kid} label={`the whole id of ${shortKid(key)}`} />
        </Group>
      ),
    },
    {
      title: 'State',
      cell: (key) => {
        const { text, color } = stateLabel(key);
        return (
          <Badge variant="light" color={color} miw="max-content">
            {text}
          </Badge>
        );
      },
    },
    { title: 'Times', cell: (key) => <Times signingKey={key} /> },
  ];
  if (waiting === undefined) return columns;
  return [
    ...columns,
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (key) => <KeyActions signingKey={key} waiting={waiting} now={now} />,
    },
  ];
}

function Times({ signingKey }: { readonly signingKey: SigningKey }) {
  return (
    <Group component="dl" gap="4px 16px" m={0}>
      {momentsOf(signingKey).map(({ label, time }) => (
        <div key={label}>
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" size="sm" m={0}>
            <DateTime time={time} precision="second" />
          </Text>
        </div>
      ))}
    </Group>
  );
}

function Kid({ signingKey }: { readonly signingKey: SigningKey }) {
  return (
    <span className="mono" style={{ whiteSpace: 'nowrap' }}>
      {shortKid(signingKey)}
    </span>
  );
}

/** Which key signs, and what comes next. */
function Outlook({ keys, now }: { readonly keys: readonly SigningKey[]; readonly now: number }) {
  const active = keys.find(isActive);
  const next = waitingOf(keys)[0];
  return (
    <Text>
      {active === undefined ? null : (
        <>
          <Kid signingKey={active} /> signs every token.{' '}
        </>
      )}
      {next === undefined ? (
        'No key waits: the service makes the next one by itself, in good time before it is due.'
      ) : (
        <>
          <Kid signingKey={next} />{' '}
          {next.readyTime === undefined || isReady(next, now) ? (
            'is ready: it signs once it is activated, at the next turn at the latest.'
          ) : (
            <>
              may sign from <DateTime time={next.readyTime} precision="second" /> on, when everybody
              who checks tokens has heard of it.
            </>
          )}
        </>
      )}
    </Text>
  );
}

const waitingOf = (keys: readonly SigningKey[]) => keys.filter(isPending).toReversed();

function shownOf(keys: readonly SigningKey[]): SigningKey[] {
  const gone = keys.filter((key) => !isPublished(key)).slice(0, goneShown);
  return keys.filter((key) => isPublished(key) || gone.includes(key));
}
