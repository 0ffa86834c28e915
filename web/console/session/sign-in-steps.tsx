/** The two steps of a sign-in: the email address, and the ways to sign in with it. */
import { Anchor, Group, Loader, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { OneForm } from './one-form.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { hasPasskeys, stopSuggestingPasskeys, suggestPasskeys } from './passkeys.ts';
import { Or, ProviderButtons, type SignInOptions, useSignInOptions } from './provider-sign-in.tsx';
import { useSignIn } from './session-context.tsx';
import { SignInForm } from './sign-in-form.tsx';

export type SignInStepsProps = {
  /** The address to show after the sign-in. */
  readonly next: string;
  readonly hasAutoFocus: boolean;
};

export function SignInSteps({ next, hasAutoFocus }: SignInStepsProps) {
  const options = useSignInOptions();
  const [email, setEmail] = useState('');
  const [isKnown, setKnown] = useState(false);
  const [hasReturned, setReturned] = useState(false);
  if (!isKnown) {
    return (
      <AddressStep
        email={email}
        options={options}
        hasAutoFocus={hasAutoFocus || hasReturned}
        onDone={(entered) => {
          setEmail(entered);
          setKnown(true);
        }}
      />
    );
  }
  const change = () => {
    setReturned(true);
    setKnown(false);
  };
  return <WaysStep email={email} all={options} next={next} onChange={change} />;
}

type AddressStepProps = {
  readonly email: string;
  readonly options: SignInOptions | undefined;
  readonly hasAutoFocus: boolean;
  readonly onDone: (email: string) => void;
};

function AddressStep({ email, options, hasAutoFocus, onDone }: AddressStepProps) {
  const field = useRef<HTMLInputElement>(null);
  const offersPasskeys = options?.passkeys === true && hasPasskeys();
  const error = usePasskeySuggestions(offersPasskeys);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only on mount
  useEffect(() => {
    if (hasAutoFocus) field.current?.focus();
  }, []);
  return (
    <>
      <OneForm label="Continue" submit={async (text) => onDone(text('email').trim())}>
        <TextInput
          ref={field}
          name="email"
          type="email"
          label="Email address"
          autoComplete="username webauthn"
          defaultValue={email}
          maxLength={254}
          required
        />
      </OneForm>
      <ErrorAlert error={error} />
      {offersPasskeys ? (
        <>
          <Or />
          <PasskeyButton label="Sign in with a passkey" />
        </>
      ) : null}
    </>
  );
}

const attemptsMax = 5;

/** Offers passkeys in the address field. Returns the error after Latchkey refuses a passkey. */
function usePasskeySuggestions(isOffered: boolean): unknown {
  const { session } = useSignIn();
  const [error, setError] = useState<unknown>();
  // Each refused passkey needs new options.
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!isOffered) return;
    let isShown = true;
    const offer = async () => {
      const response = await suggestPasskeys(() => session.startPasskeySignIn());
      if (response !== undefined && isShown) await session.signInWithPasskey(response);
    };
    offer().catch((thrown: unknown) => {
      if (!isShown) return;
      setError(thrown);
      if (attempt < attemptsMax) setAttempt(attempt + 1);
    });
    return () => {
      isShown = false;
      void stopSuggestingPasskeys();
    };
  }, [isOffered, session, attempt]);
  return error;
}

type WaysStepProps = {
  readonly email: string;
  /** The ways for any address. */
  readonly all: SignInOptions | undefined;
  readonly next: string;
  readonly onChange: () => void;
};

function WaysStep({ email, all, next, onChange }: WaysStepProps) {
  const found = useSignInOptions(email.slice(email.lastIndexOf('@') + 1));
  const [wantsPassword, setWantsPassword] = useState(false);
  return (
    <>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm">{email}</Text>
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={onChange}
          style={{ flexShrink: 0, whiteSpace: 'nowrap' }}
        >
          Change
        </Anchor>
      </Group>
      {found === undefined ? (
        <Loader aria-label="Loading" mx="auto" />
      ) : (
        <Ways
          {...{ email, next, wantsPassword }}
          options={withAnyProvider(found, all)}
          askForPassword={() => setWantsPassword(true)}
        />
      )}
    </>
  );
}

/** Without passwords, an address of another domain may belong to an account of any provider. */
function withAnyProvider(found: SignInOptions, all: SignInOptions | undefined): SignInOptions {
  if (found.passwords || found.providers.length > 0) return found;
  return { ...found, providers: all?.providers ?? [] };
}

type WaysProps = Pick<WaysStepProps, 'email' | 'next'> & {
  readonly options: SignInOptions;
  readonly wantsPassword: boolean;
  readonly askForPassword: () => void;
};

function Ways({ email, next, options, wantsPassword, askForPassword }: WaysProps) {
  const { passwords, passkeys, providers } = options;
  const hasForm = passwords || wantsPassword;
  const hasProviders = providers.length > 0;
  const hasPasskey = passkeys && hasPasskeys();
  return (
    <>
      {hasProviders ? <ProviderButtons {...{ providers, next }} isPrimary hasAutoFocus /> : null}
      {hasProviders && hasForm ? <Or /> : null}
      {hasForm ? <SignInForm email={email} hasAutoFocus={!hasProviders || wantsPassword} /> : null}
      {passwords ? <TextLink to="/forgot-password">Forgot password?</TextLink> : null}
      {hasPasskey ? (
        <>
          {hasForm || hasProviders ? <Or /> : null}
          <PasskeyButton label="Sign in with a passkey" isPrimary={!hasForm && !hasProviders} />
        </>
      ) : null}
      {hasForm ? null : (
        // The command `recover-staff` makes a password for emergencies.
        <Anchor component="button" type="button" size="sm" onClick={askForPassword}>
          Use a recovery password
        </Anchor>
      )}
    </>
  );
}
