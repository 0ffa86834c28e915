/** The root component: theme, session, transport, uploads and router. */
import { TransportProvider } from '@connectrpc/connect-query';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { createSendFile } from './documents/uploads/send-file.ts';
import { uploadBytesMax } from './documents/uploads/upload-limit.ts';
import { Uploads } from './documents/uploads/uploads.ts';
import {
  bindUploadsToUser,
  UploadEffects,
  UploadsProvider,
} from './documents/uploads/uploads-context.tsx';
import { createConsoleRouter } from './router.ts';
import { reasonOf } from './session/error-details.ts';
import { Session } from './session/session.ts';
import { SignInProvider, useSessionState } from './session/session-context.tsx';
import { sessionMarker } from './session/session-marker.ts';
import { StepUp } from './session/step-up.ts';
import { createPlainTransport, createTransport } from './session/transport.ts';
import { theme } from './theme.ts';

function createServices() {
  // The message only says that the session has changed.
  const otherTabs = new BroadcastChannel('latchkey session');
  const session = new Session(createPlainTransport(), () => otherTabs.postMessage('changed'));
  otherTabs.onmessage = () => void session.refreshNow();
  const stepUp = new StepUp();
  const signIn = { session, stepUp };
  const uploads = new Uploads(createSendFile(session), uploadBytesMax());
  bindUploadsToUser(uploads, session);
  // The service has set the cookie of a sign-in with an identity provider.
  if (location.pathname === '/console/signed-in') sessionMarker.set();
  void session.start();
  const transport = createTransport(session, stepUp);
  const isSignedIn = () => session.state.status === 'in';
  const router = createConsoleRouter({ transport, isSignedIn, queries: createQueryClient() });
  return { signIn, uploads, transport, router };
}

/** `nonce`: the CSP nonce for styles. */
export function Console({ nonce }: { readonly nonce: string }) {
  const [{ signIn, uploads, transport, router }] = useState(createServices);
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <SignInProvider value={signIn}>
        <TransportProvider transport={transport}>
          <UploadsProvider value={uploads}>
            <ResetPerUser>
              <Screens router={router} />
            </ResetPerUser>
          </UploadsProvider>
        </TransportProvider>
      </SignInProvider>
    </MantineProvider>
  );
}

/** Remounts for each user, so that no fetched data or form input reaches the next user. */
function ResetPerUser({ children }: { readonly children: ReactNode }) {
  const state = useSessionState();
  return <UserQueries key={state.status === 'in' ? state.user.id : ''}>{children}</UserQueries>;
}

function UserQueries({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queries}>
      <UploadEffects>{children}</UploadEffects>
    </QueryClientProvider>
  );
}

/** The screens read their data into the queries of the user. */
function Screens({ router }: Pick<ComponentProps<typeof RouterProvider>, 'router'>) {
  const queries = useQueryClient();
  return <RouterProvider router={router} context={{ ...router.options.context, queries }} />;
}

const retriesMax = 2;

/** Queries without a connection fail with an error instead of waiting. */
function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnReconnect: true,
        networkMode: 'always',
        // A retry of a request that the service has rejected returns the same error.
        retry: (failures, error) => reasonOf(error) === undefined && failures < retriesMax,
      },
    },
  });
}
