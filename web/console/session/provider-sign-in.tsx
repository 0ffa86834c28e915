/** Sign-in with the identity providers of the installation. */
import { Button, Stack, Text } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type {
  GetSignInOptionsResponse,
  SignInProvider,
} from '../../../gen/latchkey/identity/v1/session_pb.js';
import { useSignIn } from './session-context.tsx';

export type SignInOptions = Pick<GetSignInOptionsResponse, 'passwords' | 'providers'>;

export const passwordsOnly: SignInOptions = { passwords: true, providers: [] };

/** Undefined until the service has answered. */
export function useSignInOptions(): SignInOptions | undefined {
  const { session } = useSignIn();
  const [options, setOptions] = useState<SignInOptions>();
  useEffect(() => {
    let isShown = true;
    const show = (found: SignInOptions) => {
      if (isShown) setOptions(found);
    };
    session.signInOptions().then(show, () => show(passwordsOnly));
    return () => {
      isShown = false;
    };
  }, [session]);
  return options;
}

export const providerAddress = (
  { id }: Pick<SignInProvider, 'id'>,
  query: Readonly<Record<string, string>>,
) => `/sessions/oidc/${id}?${new URLSearchParams(query)}`;

/** Between two ways to sign in. */
export function Or() {
  return (
    <Text size="sm" c="dimmed" ta="center">
      or
    </Text>
  );
}

type ProviderButtonsProps = {
  readonly providers: readonly SignInProvider[];
  /** The address to show after the sign-in. */
  readonly next: string;
  readonly isPrimary: boolean;
};

export function ProviderButtons({ providers, next, isPrimary }: ProviderButtonsProps) {
  return (
    <Stack gap="xs">
      {providers.map((provider) => (
        <Button
          key={provider.id}
          component="a"
          href={providerAddress(provider, { next })}
          variant={isPrimary ? 'filled' : 'default'}
          leftSection={<IconBuilding size={16} aria-hidden />}
          fullWidth
        >
          Sign in with {provider.name}
        </Button>
      ))}
    </Stack>
  );
}
