/** Sign-in with the identity providers of the installation. */
import { useQuery } from '@connectrpc/connect-query';
import { Button, Stack, Text } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import {
  type GetSignInOptionsResponse,
  SessionService,
  type SignInProvider,
} from '../../../gen/latchkey/identity/v1/session_pb.js';

export type SignInOptions = Pick<GetSignInOptionsResponse, 'passwords' | 'passkeys' | 'providers'>;

/** If the service does not answer. */
const passwordsOnly: SignInOptions = { passwords: true, passkeys: false, providers: [] };

/** How users of a domain, or all users, can sign in. Undefined until the service has answered. */
export function useSignInOptions(domain = ''): SignInOptions | undefined {
  const { getSignInOptions } = SessionService.method;
  const { data, isPending } = useQuery(getSignInOptions, { domain }, { retry: false });
  return isPending ? undefined : (data ?? passwordsOnly);
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
