/** Hands the session to the components. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { SignedInUser } from '../../../gen/latchkey/identity/v1/session_pb.js';
import type { Session, SessionState } from './session.ts';
import type { StepUp } from './step-up.ts';

export type SignIn = { readonly session: Session; readonly stepUp: StepUp };

const SignInContext = createContext<SignIn | undefined>(undefined);

export const SignInProvider = SignInContext.Provider;

/** The session itself and the step-up, for what acts on them. */
export function useSignIn(): SignIn {
  const signIn = useContext(SignInContext);
  if (signIn === undefined) throw new TypeError('there is no SignInProvider around');
  return signIn;
}

export function useSessionState(): SessionState {
  const { session } = useSignIn();
  return useSyncExternalStore(session.subscribe, () => session.state);
}

/** Who is signed in; for what is shown only then. */
export function useUser(): SignedInUser {
  const state = useSessionState();
  if (state.status !== 'in') throw new TypeError(`nobody is signed in: ${state.status}`);
  return state.user;
}

/** Whether the user's tokens cover the scope, in one workspace at least. The service decides. */
export function useHasScope(): (scope: string) => boolean {
  const state = useSessionState();
  return (scope) => state.status === 'in' && state.scopes.has(scope);
}

/**
 * For after a change to a user. Where that is oneself, the session learns what holds now: the
 * address to sign in with, and what one may do.
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
