/** The second factor of a sign-in: a code from the app or a recovery code. */
import { Anchor, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';

export type CodeFieldProps = {
  /**
   * Whether to ask for a one-time code. `offered`: after a click. The second step of a sign-in
   * requires it.
   */
  readonly code: 'required' | 'offered' | 'none';
  readonly hasAutoFocus: boolean;
};

type Kind = 'app' | 'recovery';

export function CodeField({ code, hasAutoFocus }: CodeFieldProps) {
  const [isWanted, setWanted] = useState(false);
  const [kind, setKind] = useState<Kind>('app');
  if (code === 'none') return null;
  if (code === 'offered' && !isWanted) {
    return <Choice onClick={() => setWanted(true)}>Use a one-time code</Choice>;
  }
  const isApp = kind === 'app';
  return (
    <Stack gap={6}>
      {isApp ? (
        <AppCodeInput isRequired={code === 'required'} hasAutoFocus={hasAutoFocus} />
      ) : (
        <TextInput
          // The service accepts both kinds in one field.
          name="otp"
          label="Recovery code"
          description="One of the codes that you saved when you added the app. It works once."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={32}
          required
          autoFocus
        />
      )}
      <Choice onClick={() => setKind(isApp ? 'recovery' : 'app')}>
        {isApp ? 'Use a recovery code instead' : 'Use the authenticator app instead'}
      </Choice>
    </Stack>
  );
}

type AppCodeInputProps = { readonly isRequired: boolean; readonly hasAutoFocus: boolean };

function AppCodeInput({ isRequired, hasAutoFocus }: AppCodeInputProps) {
  return (
    <TextInput
      name="otp"
      label="One-time code"
      description={
        isRequired
          ? 'The 6-digit code from your authenticator app.'
          : 'Only if you use an authenticator app.'
      }
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={32}
      required={isRequired}
      autoFocus={hasAutoFocus}
    />
  );
}

type ChoiceProps = { readonly onClick: () => void; readonly children: ReactNode };

function Choice({ onClick, children }: ChoiceProps) {
  return (
    <Anchor component="button" type="button" size="sm" ta="start" onClick={onClick}>
      {children}
    </Anchor>
  );
}
