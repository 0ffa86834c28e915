/** Requesting a link by mail, and setting a new password with it. */
import { createClient } from '@connectrpc/connect';
import { PasswordInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { PasswordResetService } from '../../../gen/latchkey/identity/v1/password_reset_pb.js';
import { NoMailNote } from '../shared/no-mail-note.tsx';
import { ButtonLink, TextLink } from '../shared/router-links.tsx';
import { OneForm, useFieldError } from './one-form.tsx';
import { NoLinkToken, SignedOutPage, useLinkToken } from './signed-out-page.tsx';
import { createPlainTransport } from './transport.ts';

const client = () => createClient(PasswordResetService, createPlainTransport());

export function ForgotPasswordScreen() {
  const [sentTo, setSentTo] = useState('');
  return (
    <SignedOutPage title="Reset your password">
      {sentTo === '' ? (
        <OneForm
          label="Send link"
          submit={async (text) => {
            const email = text('email').trim();
            await client().requestPasswordReset({ email });
            setSentTo(email);
          }}
        >
          <NoMailNote />
          <Text>We’ll send you a link to set a new password.</Text>
          <TextInput
            name="email"
            type="email"
            label="Email address"
            autoComplete="username"
            required
          />
        </OneForm>
      ) : (
        <Text role="status">
          If {sentTo} belongs to a user, a link is on its way. It works once, within an hour. Check
          your spam folder if it doesn’t arrive.
        </Text>
      )}
      <TextLink to="/sign-in">Back to sign-in</TextLink>
    </SignedOutPage>
  );
}

export function ResetPasswordScreen() {
  const [isDone, setDone] = useState(false);
  const token = useLinkToken();
  if (isDone) {
    return (
      <SignedOutPage title="Password set">
        <Text role="status">Sign in with your new password. Earlier sessions have ended.</Text>
        <ButtonLink to="/sign-in">Sign in</ButtonLink>
      </SignedOutPage>
    );
  }
  return (
    <SignedOutPage title="Choose your password">
      {token === '' ? (
        <NoLinkToken />
      ) : (
        <OneForm
          label="Set password"
          submit={async (text) => {
            await client().resetPassword({ token, password: text('password') });
            setDone(true);
          }}
        >
          <NewPasswordInput />
          <Text size="sm" c="dimmed">
            Earlier sessions end. If you use an authenticator app, you still need its code to sign
            in.
          </Text>
        </OneForm>
      )}
      <TextLink to="/forgot-password">Request a new link</TextLink>
      <Text size="sm" c="dimmed">
        If you never had a password, ask the person who added you for a new link.
      </Text>
    </SignedOutPage>
  );
}

export function NewPasswordInput() {
  return (
    <PasswordInput
      name="password"
      label="New password"
      description="At least 12 characters. A few unrelated words work well."
      autoComplete="new-password"
      required
      data-path="password"
      error={useFieldError('password')}
    />
  );
}
