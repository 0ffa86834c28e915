/** Accepting an invitation to a workspace. */
import { createClient } from '@connectrpc/connect';
import { Button, Loader, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { SignedInUser } from '../../../gen/latchkey/identity/v1/session_pb.js';
import {
  InvitationService,
  type ReadInvitationResponse,
} from '../../../gen/latchkey/sharing/v1/invitation_pb.js';
import { roleWithArticle } from '../members/roles.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';
import { LinkError, OneForm } from './one-form.tsx';
import { NewPasswordInput } from './password-reset-screens.tsx';
import { useSessionState, useSignIn } from './session-context.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { NoLinkToken, SignedOutPage, useLinkToken } from './signed-out-page.tsx';
import { createPlainTransport } from './transport.ts';

const client = () => createClient(InvitationService, createPlainTransport());

type Loaded = { readonly invitation?: ReadInvitationResponse; readonly error?: unknown };

export function InvitationScreen() {
  const token = useLinkToken();
  const [{ invitation, error }, setLoaded] = useState<Loaded>({});
  useEffect(() => {
    if (token === '') return;
    client()
      .readInvitation({ token })
      .then(
        (found) => setLoaded({ invitation: found }),
        (thrown: unknown) => setLoaded({ error: thrown }),
      );
  }, [token]);
  return (
    <SignedOutPage title="Accept the invitation">
      {token === '' ? <NoLinkToken /> : null}
      {error === undefined ? null : <LinkError error={error} />}
      {invitation === undefined ? null : <Accept token={token} invitation={invitation} />}
      {token !== '' && error === undefined && invitation === undefined ? (
        <Loader aria-label="Loading invitation" mx="auto" />
      ) : null}
    </SignedOutPage>
  );
}

type AcceptProps = { readonly token: string; readonly invitation: ReadInvitationResponse };

function Accept({ token, invitation }: AcceptProps) {
  const { email, workspaceName, hasUser } = invitation;
  const state = useSessionState();
  return (
    <>
      <Text>
        You’re invited to the workspace <strong>{workspaceName}</strong> as{' '}
        {roleWithArticle(invitation.role)}.
      </Text>
      {state.status === 'in' ? (
        <Join token={token} email={email} own={state.user} />
      ) : hasUser ? (
        <>
          <Text size="sm">Sign in as {email} to join.</Text>
          <SignInForm email={email} />
          <TextLink to="/forgot-password">Forgot password?</TextLink>
        </>
      ) : (
        <NewUser token={token} email={email} />
      )}
    </>
  );
}

/** Creates the user and signs in, which shows the workspace. */
function NewUser({ token, email }: { readonly token: string; readonly email: string }) {
  const { session } = useSignIn();
  const navigate = useNavigate();
  return (
    <OneForm
      label="Create account and join"
      submit={async (text) => {
        const password = text('password');
        await client().acceptInvitation({ token, name: text('name').trim(), password });
        // The link is used up: leaves its address before the sign-in shows the next screen.
        await navigate({ to: '/sign-in', replace: true });
        await session.signIn({ email, password, otp: '' });
      }}
    >
      <TextInput label="Email address" value={email} readOnly autoComplete="username" />
      <TextInput name="name" label="Your name" autoComplete="name" maxLength={255} />
      <NewPasswordInput />
    </OneForm>
  );
}

type JoinProps = {
  readonly token: string;
  readonly email: string;
  readonly own: SignedInUser;
};

function Join({ token, email, own }: JoinProps) {
  const { session } = useSignIn();
  const navigate = useNavigate();
  const join = useMethod(InvitationService.method.joinWorkspace);
  if (own.email !== email) {
    return (
      <>
        <Text>
          The invitation is for {email}. You’re signed in as {own.email}.
        </Text>
        <Button onClick={() => void session.signOut()}>Sign out</Button>
        <TextLink to="/">Stay signed in</TextLink>
      </>
    );
  }
  if (own.kind === 'staff') {
    return (
      <>
        <Text>You’re a staff user: you see all workspaces without an invitation.</Text>
        <TextLink to="/workspaces">Workspaces</TextLink>
      </>
    );
  }
  return (
    <OneForm
      label="Join workspace"
      submit={async () => {
        const { workspaceId } = await join({ token, userId: session.userId });
        // The token of the session has no scopes of the new role yet.
        await session.refreshNow();
        const to = '/workspaces/$workspaceId/documents';
        await navigate({ to, params: { workspaceId }, replace: true });
      }}
    >
      <Text>You’re signed in as {own.email}.</Text>
    </OneForm>
  );
}
