import { Button, Stack } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { askForPasskey } from './passkeys.ts';
import { useSignIn } from './session-context.tsx';

export type PasskeyButtonProps = {
  readonly label: string;
  readonly isPrimary?: boolean;
  /** The only user who may sign in; by default any. */
  readonly userId?: string;
  readonly onDone?: (() => void) | undefined;
};

/** Signs in with a passkey. */
export function PasskeyButton({ label, isPrimary, userId = '', onDone }: PasskeyButtonProps) {
  const { session } = useSignIn();
  const { isPending, error, run } = usePendingAction();
  async function signIn() {
    const options = await session.startPasskeySignIn(userId);
    await session.signInWithPasskey(await askForPasskey(options));
    onDone?.();
  }
  return (
    <Stack gap="xs">
      <Button
        variant={isPrimary ? 'filled' : 'default'}
        leftSection={<IconFingerprint size={16} aria-hidden />}
        loading={isPending}
        fullWidth
        onClick={() => void run(signIn)}
      >
        {label}
      </Button>
      <ErrorAlert error={error} />
    </Stack>
  );
}
