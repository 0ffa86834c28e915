/** Provides the session to the components. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { SignedInUser } from '../../../gen/latchkey/identity/v1/session_pb.js';
import type { Session, SessionState } from './session.ts';
import type { StepUp } from './step-up.ts';

export type SignIn = { readonly session: Session; readonly stepUp: StepUp };

const SignInContext = createContext<SignIn | undefined>(undefined);

export const SignInProvider = SignInContext.Provider;

export function useSignIn(): SignIn {
  const signIn = useContext(SignInContext);
  if (signIn === undefined) throw new TypeError('SignInProvider is missing');
  return signIn;
}

export function useSessionState(): SessionState {
  const { session } = useSignIn();
  return useSyncExternalStore(session.subscribe, () => session.state);
}

/** The signed-in user. Throws if no one is signed in. */
export function useUser(): SignedInUser {
  const state = useSessionState();
  if (state.status !== 'in') throw new TypeError(`no one is signed in: ${state.status}`);
  return state.user;
}

/** Whether the user has the scope in at least one workspace. The service checks each request. */
export function useHasScope(): (scope: string) => boolean {
  const state = useSessionState();
  return (scope) => state.status === 'in' && state.scopes.has(scope);
}

/**
 * Returns a function to call after a change to a user. If that is the signed-in user, it refreshes
 * the email address and the scopes of the session.
 */
export function useRefreshOwnSession(userId: string): () => Promise<void> {
  const { session } = useSignIn();
  return async () => {
    if (userId === session.userId) await session.refreshNow();
  };
}

export function useStepUpIsOpen(): boolean {
  const { stepUp } = useSignIn();
  return useSyncExternalStore(stepUp.subscribe, () => stepUp.isOpen);
}
