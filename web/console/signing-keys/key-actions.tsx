import { Button, Group } from '@mantine/core';
import {
  type SigningKey,
  SigningKeyService,
} from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { useMethod } from '../shared/use-method.ts';
import { isActive, isPending, isPublished, isReady, isRetired, shortKid } from './key-lifecycle.ts';

type KeyActionsProps = {
  readonly signingKey: SigningKey;
  /** The keys that wait, the oldest first. */
  readonly waiting: readonly SigningKey[];
  /** Milliseconds since 1970. */
  readonly now: number;
};

export function KeyActions({ signingKey, waiting, now }: KeyActionsProps) {
  const { confirm } = useDialogs();
  const activate = useMethod(SigningKeyService.method.activateSigningKey);
  const revoke = useMethod(SigningKeyService.method.revokeSigningKey);
  const { kid } = signingKey;
  const name = shortKid(signingKey);
  const force = !isReady(signingKey, now);

  const askToActivate = () =>
    confirm({
      title: force ? `Let ${name} sign before it is ready?` : `Let ${name} sign?`,
      consequence: force ? `${earlyText} ${handoverText}` : handoverText,
      label: force ? 'Activate early' : 'Activate',
      run: () => activate({ kid, force }),
    });
  const askToRevoke = () =>
    confirm({
      title: `Revoke ${name}?`,
      consequence: `${lossOf(signingKey, waiting, now)} This cannot be undone.`,
      label: 'Revoke',
      run: () => revoke({ kid }),
    });

  return (
    <Group gap="xs">
      {isPending(signingKey) ? (
        <Button
          size="compact-sm"
          variant="default"
          onClick={askToActivate}
          aria-label={`${force ? 'Activate early' : 'Activate'} ${name}`}
        >
          {force ? 'Activate early' : 'Activate'}
        </Button>
      ) : null}
      {isPublished(signingKey) ? (
        <Button
          size="compact-sm"
          variant="default"
          onClick={askToRevoke}
          aria-label={`Revoke ${name}`}
        >
          Revoke
        </Button>
      ) : null}
    </Group>
  );
}

const handoverText =
  'It signs every token from then on. The key that signs now is retired: its tokens stay good ' +
  'until they end, and it never signs again.';

const earlyText =
  'Those who check tokens by a stored copy of the published keys may not know this key yet. They ' +
  'refuse its tokens until they fetch the keys anew, which takes minutes: to their callers the ' +
  'service looks broken for that time. Wait until the key is ready, unless the one that signs ' +
  'cannot be trusted.';

function lossOf(key: SigningKey, waiting: readonly SigningKey[], now: number): string {
  if (isRetired(key)) {
    return (
      'Those of its tokens that have not ended become void at once. Whoever checks tokens by a ' +
      'stored copy of the published keys accepts them until the copy is fetched anew, for some ' +
      'minutes.'
    );
  }
  if (!isActive(key)) return 'It has signed nothing, and never will. No token becomes void.';
  const next = waiting.find((one) => isReady(one, now));
  return (
    'Every token that it has signed becomes void at once, and has to be asked for anew; whoever ' +
    'is signed in stays so. Issuing goes on: ' +
    (next === undefined
      ? 'a new key signs from the same moment on. Those who check tokens by a stored copy of the ' +
        'published keys may refuse its tokens until they fetch them anew, for some minutes, and ' +
        'accept those of the revoked key for as long.'
      : `${shortKid(next)}, which is ready, signs from the same moment on. Those who check ` +
        'tokens by a stored copy of the published keys accept those of the revoked key until ' +
        'they fetch them anew, for some minutes.')
  );
}
