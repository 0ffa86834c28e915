import { useQuery } from '@connectrpc/connect-query';
import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import type { SignInProvider } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { PasskeyButton } from './passkey-button.tsx';
import { hasPasskeys } from './passkeys.ts';
import { Or, providerAddress, useSignInOptions } from './provider-sign-in.tsx';
import { useSignIn, useUser } from './session-context.tsx';
import { SignInForm, type SignInFormProps } from './sign-in-form.tsx';
import { problemText } from './sign-in-problems.ts';
import { listenForStepUp, openStepUp } from './step-up-window.ts';

/** Offers the ways in which the user can sign in again. */
export default function StepUpForm(props: SignInFormProps) {
  const { id } = useUser();
  const options = useSignInOptions();
  const { data, error } = useQuery(UserService.method.getUser, { userId: id }, { staleTime: 0 });
  const linked = useQuery(IdentityProviderService.method.listUserIdentities, { userId: id });
  const keys = useQuery(PasskeyService.method.listPasskeys, { userId: id });
  const isLoading =
    options === undefined ||
    (data === undefined && error === null) ||
    [linked, keys].some((query) => query.data === undefined && query.error === null);
  if (isLoading) return <Loader aria-label="Loading" mx="auto" />;
  const own = new Set(linked.data?.identities.map(({ providerId }) => providerId));
  const providers = options.providers.filter((provider) => own.has(provider.id));
  // The password of `recover-staff` works even if passwords are off.
  const hasPassword = data?.user?.passwordEnabled ?? true;
  const isOn = data?.user?.totpEnabled;
  const hasPasskey = options.passkeys && hasPasskeys() && (keys.data?.passkeys.length ?? 0) > 0;
  return (
    <Stack>
      {hasPasskey ? (
        <>
          <PasskeyButton label="Use a passkey" isPrimary userId={id} onDone={props.onDone} />
          {hasPassword || providers.length > 0 ? <Or /> : null}
        </>
      ) : null}
      {hasPassword ? (
        <>
          <Text size="sm">Enter the password of {props.email} to continue.</Text>
          <SignInForm
            {...props}
            hasAutoFocus
            // A code is asked for only if the user has an authenticator app, or if that is unknown.
            code={isOn === undefined ? 'offered' : isOn ? 'required' : 'none'}
          />
          {providers.length === 0 ? null : <Or />}
        </>
      ) : null}
      {providers.length === 0 ? null : <ProviderStepUp providers={providers} {...props} />}
      {hasPassword ? null : <Group justify="flex-end">{props.otherButtons}</Group>}
      {hasPassword || hasPasskey || providers.length > 0 ? null : (
        <Text size="sm">You have no way to sign in again. Ask an administrator.</Text>
      )}
    </Stack>
  );
}

type ProviderStepUpProps = Pick<SignInFormProps, 'onDone'> & {
  readonly providers: readonly SignInProvider[];
};

function ProviderStepUp({ providers, onDone }: ProviderStepUpProps) {
  const { session } = useSignIn();
  const [problem, setProblem] = useState<string>();
  useEffect(
    () =>
      listenForStepUp((ended) => {
        setProblem(ended);
        if (ended === undefined) void session.refreshNow().then(onDone);
      }),
    [session, onDone],
  );
  return (
    <Stack gap="xs">
      <Text size="sm">Sign in again in a new window to continue.</Text>
      {problem === undefined ? null : (
        <Alert color="red" role="alert">
          {problemText(problem)}
        </Alert>
      )}
      {providers.map((provider) => (
        <Button
          key={provider.id}
          variant="default"
          onClick={() => openStepUp(providerAddress(provider, { step_up: 'true' }))}
        >
          Sign in with {provider.name}
        </Button>
      ))}
    </Stack>
  );
}
