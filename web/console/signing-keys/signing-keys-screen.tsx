import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import {
  type SigningKey,
  SigningKeyService,
} from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { useInstallation } from '../home/installation-cards.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { CopyButton } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { type Column, defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { Screen } from '../shared/screen.tsx';
import { useMethod } from '../shared/use-method.ts';
import { KeyActions } from './key-actions.tsx';
import {
  isActive,
  isPending,
  isPublished,
  isReady,
  isRetired,
  keyEventsOf,
  shortKid,
  stateLabel,
} from './key-lifecycle.ts';
import classes from './signing-keys.module.css';
import { KeyTimeline } from './timeline.tsx';
import { useCurrentTime, useScheduledReload } from './use-scheduled-reload.ts';

/** The timeline shows the published keys and this many removed or revoked ones. */
const unpublishedMax = 4;

const signingKeys = defineList({
  label: 'Signing keys',
  method: SigningKeyService.method.listSigningKeys,
  rows: (page) => page.signingKeys,
  idOf: ({ kid }) => kid,
  columns: [
    {
      title: 'Key',
      cell: (key) => (
        <Group gap="xs" wrap="nowrap">
          <Kid signingKey={key} />
          <CopyButton text={key.kid} label={`key ID ${shortKid(key)}`} isIcon />
        </Group>
      ),
    },
    { title: 'Algorithm', isPlain: true, cell: ({ alg }) => alg },
    {
      title: 'State',
      isPlain: true,
      cell: (key) => {
        const { text, color } = stateLabel(key);
        return (
          <Badge variant="light" color={color} miw="max-content">
            {text}
          </Badge>
        );
      },
    },
    { title: 'Times', isBlock: true, cell: (key) => <Times signingKey={key} /> },
  ],
});

export function SigningKeysScreen() {
  const hasScope = useHasScope();
  const mayWrite = hasScope('signing_keys:write');
  const create = useMethod(SigningKeyService.method.createSigningKey);
  const { confirm } = useDialogs();
  const askToCreate = () =>
    confirm({
      title: 'Create a signing key?',
      consequence:
        'The new key is published now, so that services can cache it. It replaces the current ' +
        'key at the next rotation, or when you activate it. Keys rotate automatically: you need ' +
        'this only if you want to replace the current key sooner.',
      label: 'Create key',
      isDestructive: false,
      run: () => create({}),
    });
  const list = useList(signingKeys, {});
  const now = useCurrentTime();
  const keys = list.rows ?? [];
  useScheduledReload(keys, now, list.reload);
  return (
    <Screen
      about={
        'The keys that sign access tokens. They rotate automatically. Rotate by hand only if you ' +
        'need a new key sooner or a key has leaked.'
      }
      actions={mayWrite ? <Button onClick={askToCreate}>Create key</Button> : undefined}
    >
      {keys.length === 0 ? null : (
        <Stack>
          {algorithmsOf(keys).map((alg, _, { length }) => (
            <KeySummary
              key={alg}
              keys={keysOf(keys, alg)}
              tokens={length === 1 ? 'tokens' : `${alg} tokens`}
              now={now}
            />
          ))}
          <KeyTimeline keys={shownOf(keys)} now={now} />
        </Stack>
      )}
      <Listing
        list={{ ...list, columns: [...list.columns, ...(mayWrite ? [actionsAt(now, keys)] : [])] }}
        empty={{ title: 'No keys', text: 'Create one. Tokens can’t be signed without a key.' }}
      />
    </Screen>
  );
}

SigningKeysScreen.reads = [signingKeys];

const actionsAt = (now: number, keys: readonly SigningKey[]): Column<SigningKey> => ({
  title: 'Actions',
  isTitleHidden: true,
  cell: (key) => (
    <KeyActions signingKey={key} pending={pendingKeysOf(keysOf(keys, key.alg))} now={now} />
  ),
});

function Times({ signingKey }: { readonly signingKey: SigningKey }) {
  return (
    <dl className={classes.times}>
      {keyEventsOf(signingKey).map(({ label, time }) => (
        <div key={label}>
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" size="sm" m={0}>
            <DateTime time={time} precision="second" />
          </Text>
        </div>
      ))}
    </dl>
  );
}

function Kid({ signingKey }: { readonly signingKey: SigningKey }) {
  return (
    <span className="mono" style={{ whiteSpace: 'nowrap' }}>
      {shortKid(signingKey)}
    </span>
  );
}

type KeySummaryProps = {
  /** The keys of one algorithm. */
  readonly keys: readonly SigningKey[];
  readonly tokens: string;
  readonly now: number;
};

/** Says which key signs now, which is next, and when the last one ends. */
function KeySummary({ keys, tokens, now }: KeySummaryProps) {
  const active = keys.find(isActive);
  const next = pendingKeysOf(keys)[0];
  const retired = keys.find(isRetired);
  return (
    <Text>
      {active === undefined ? null : (
        <>
          <Kid signingKey={active} /> signs all {tokens}.{' '}
        </>
      )}
      {next === undefined ? (
        <>
          The next key is created automatically before the next rotation
          <RotationTime alg={active?.alg} />.
        </>
      ) : (
        <>
          <Kid signingKey={next} />{' '}
          {next.readyTime === undefined || isReady(next, now) ? (
            <>
              is next. It is ready and takes over at the next rotation
              <RotationTime alg={next.alg} />, or when you activate it.
            </>
          ) : (
            <>
              is next. It is ready at <DateTime time={next.readyTime} precision="second" />, when
              caches of the published keys have expired.
            </>
          )}
        </>
      )}
      {retired?.removeTime === undefined ? null : (
        <>
          {' '}
          <Kid signingKey={retired} /> is retired: its tokens stay valid until they expire, and it
          stays published until <DateTime time={retired.removeTime} precision="second" />.
        </>
      )}
    </Text>
  );
}

/** Such as ` on Dec 29, 2026, 6:07 PM`. Nothing for a user who may not see it. */
function RotationTime({ alg }: { readonly alg: string | undefined }) {
  const rotations = useInstallation().data?.installation?.keyRotations;
  const time = rotations?.find((rotation) => rotation.alg === alg)?.rotationTime;
  if (time === undefined) return null;
  return (
    <>
      {' on '}
      <DateTime time={time} precision="minute" />
    </>
  );
}

const pendingKeysOf = (keys: readonly SigningKey[]) => keys.filter(isPending).toReversed();

/** The algorithms of the published keys. */
const algorithmsOf = (keys: readonly SigningKey[]) =>
  [...new Set(keys.filter(isPublished).map(({ alg }) => alg))].toSorted();

const keysOf = (keys: readonly SigningKey[], algorithm: string) =>
  keys.filter(({ alg }) => alg === algorithm);

function shownOf(keys: readonly SigningKey[]): SigningKey[] {
  const unpublished = keys.filter((key) => !isPublished(key)).slice(0, unpublishedMax);
  return keys.filter((key) => isPublished(key) || unpublished.includes(key));
}
