/** Replaces all screens while the session can only add a second factor. */
import { Alert, Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { PasskeyButton } from '../session/passkey-button.tsx';
import { hasPasskeys } from '../session/passkeys.ts';
import { useSignIn, useUser } from '../session/session-context.tsx';
import { StepUpDialog } from '../session/step-up-dialog.tsx';
import { DialogsProvider } from '../shared/dialogs.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { useScreenHeading } from '../shared/use-screen-heading.ts';
import { BrandMark } from '../shell/brand-mark.tsx';
import { OwnUser } from './own-user.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';
import { useOwnFactors } from './use-own-factors.ts';

const title = 'Add a second factor';

export function SecondFactorScreen() {
  const heading = useScreenHeading(title);
  return (
    <DialogsProvider>
      <Center component="main" mih="100dvh" p="md" bg="var(--console-rail)">
        <Stack w="100%" maw={640} gap="lg">
          <Center>
            <BrandMark />
          </Center>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          <Text>Your administrators require a second factor. Add one to continue.</Text>
          <OwnUser>
            {(user) => (
              <>
                <PasskeysCard />
                <SecondFactorCard user={user} />
              </>
            )}
          </OwnUser>
          <Continue />
        </Stack>
      </Center>
      <StepUpDialog />
    </DialogsProvider>
  );
}

function Continue() {
  const { session } = useSignIn();
  const { id: userId } = useUser();
  const { hasPasskey, hasFactor } = useOwnFactors();
  const [hasTried, setTried] = useState(false);
  const proceed = usePendingAction();
  const leave = usePendingAction();
  // A success replaces this screen.
  const goOn = () => proceed.run(() => session.refreshNow().then(() => setTried(true)));
  return (
    <>
      {hasTried ? (
        <Alert color="orange" role="alert">
          You signed in without your second factor. Sign in with it to continue.
        </Alert>
      ) : null}
      {hasTried && hasPasskey && hasPasskeys() ? (
        <PasskeyButton label="Use a passkey" isPrimary userId={userId} />
      ) : null}
      <ErrorAlert error={leave.error} />
      <Group justify="flex-end">
        <Button
          variant="default"
          loading={leave.isPending}
          onClick={() => void leave.run(() => session.signOut())}
        >
          Sign out
        </Button>
        <Button disabled={!hasFactor} loading={proceed.isPending} onClick={() => void goOn()}>
          Continue
        </Button>
      </Group>
    </>
  );
}
