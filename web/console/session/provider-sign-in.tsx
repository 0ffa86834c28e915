/** Sign-in with the identity providers of the installation. */
import { Button, Stack, Text } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type {
  GetSignInOptionsResponse,
  SignInProvider,
} from '../../../gen/latchkey/identity/v1/session_pb.js';
import { useSignIn } from './session-context.tsx';

export type SignInOptions = Pick<GetSignInOptionsResponse, 'passwords' | 'passkeys' | 'providers'>;

/** If the service does not answer. */
const passwordsOnly: SignInOptions = { passwords: true, passkeys: false, providers: [] };

/** How users of a domain, or all users, can sign in. Undefined until the service has answered. */
export function useSignInOptions(domain = ''): SignInOptions | undefined {
  const { session } = useSignIn();
  const [options, setOptions] = useState<SignInOptions>();
  useEffect(() => {
    let isShown = true;
    const show = (found: SignInOptions) => {
      if (isShown) setOptions(found);
    };
    session.signInOptions(domain).then(show, () => show(passwordsOnly));
    return () => {
      isShown = false;
    };
  }, [session, domain]);
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
  /** Whether to focus the first button on mount. */
  readonly hasAutoFocus?: boolean;
};

export function ProviderButtons(props: ProviderButtonsProps) {
  const { providers, next, isPrimary, hasAutoFocus = false } = props;
  return (
    <Stack gap="xs">
      {providers.map((provider, index) => (
        <Button
          key={provider.id}
          component="a"
          href={providerAddress(provider, { next })}
          autoFocus={hasAutoFocus && index === 0}
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
