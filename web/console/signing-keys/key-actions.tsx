import { IconCancel, IconPlayerPlay } from '@tabler/icons-react';
import {
  type SigningKey,
  SigningKeyService,
} from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { useMethod } from '../shared/use-method.ts';
import { isActive, isPending, isPublished, isReady, isRetired, shortKid } from './key-lifecycle.ts';

type KeyActionsProps = {
  readonly signingKey: SigningKey;
  /** Pending keys, oldest first. */
  readonly pending: readonly SigningKey[];
  /** Milliseconds since 1970. */
  readonly now: number;
};

export function KeyActions({ signingKey, pending, now }: KeyActionsProps) {
  const { confirm } = useDialogs();
  const activate = useMethod(SigningKeyService.method.activateSigningKey);
  const revoke = useMethod(SigningKeyService.method.revokeSigningKey);
  const { kid } = signingKey;
  const name = shortKid(signingKey);
  const force = !isReady(signingKey, now);

  const askToActivate = () =>
    confirm({
      title: force ? `Activate ${name} early?` : `Activate ${name}?`,
      consequence: force ? `${earlyText} ${handoverText}` : handoverText,
      label: force ? 'Activate early' : 'Activate',
      run: () => activate({ kid, force }),
    });
  const askToRevoke = () =>
    confirm({
      title: `Revoke ${name}?`,
      consequence: `${revocationText(signingKey, pending, now)} You can’t undo this.`,
      label: 'Revoke',
      run: () => revoke({ kid }),
    });

  return (
    <RowMenu
      name={name}
      actions={[
        isPending(signingKey) && {
          label: force ? 'Activate early' : 'Activate',
          icon: IconPlayerPlay,
          run: askToActivate,
        },
        isPublished(signingKey) && { label: 'Revoke', icon: IconCancel, run: askToRevoke },
      ]}
    />
  );
}

const handoverText =
  'It signs all new tokens of its algorithm. The current key retires: its tokens remain valid ' +
  'until they expire, and it never signs again.';

const earlyText =
  'Services that cache the published keys may not have this key yet. They reject its tokens ' +
  'until they refresh their cache, which can take a few minutes. Wait until the key is ready, ' +
  'unless the current key has leaked.';

function revocationText(key: SigningKey, pending: readonly SigningKey[], now: number): string {
  if (isRetired(key)) {
    return (
      'Its remaining tokens become invalid immediately. Services that cache the published keys ' +
      'accept them for a few more minutes.'
    );
  }
  if (!isActive(key)) return 'It hasn’t signed any tokens, so no token becomes invalid.';
  const next = pending.find((other) => isReady(other, now));
  return (
    'All tokens that it signed become invalid immediately, and clients have to request new ones. ' +
    'Users stay signed in. ' +
    (next === undefined
      ? 'A new key takes over at once. For a few minutes, services that cache the published keys ' +
        'may reject tokens of the new key and still accept those of the revoked key.'
      : `Key ${shortKid(next)} takes over at once. Services that cache the published keys accept ` +
        'tokens of the revoked key for a few more minutes.')
  );
}
