/** Shows the screens to a signed-in user. Leads everyone else to the sign-in. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isLimited } from '../session/second-factor.ts';
import { useSessionState } from '../session/session-context.tsx';
import { lazy } from './lazy.ts';

/** The sign-in does not need it. */
const Frame = lazy(() => import('./frame.tsx'), 'Frame');

const SecondFactorScreen = lazy(
  () => import('../account/second-factor-screen.tsx'),
  'SecondFactorScreen',
);

/** Loads the frame before the session is known. */
export const preloadFrame = () => void Frame.preload?.();

export function Shell() {
  const state = useSessionState();
  if (state.status === 'in') {
    if (isLimited(state.user)) return <SecondFactorScreen />;
    return <Frame isOtherUser={state.replaced === 'in another tab'} />;
  }
  return <RedirectToSignIn comesBack={state.status !== 'out' || state.why !== 'signed out'} />;
}

function RedirectToSignIn({ comesBack }: { readonly comesBack: boolean }) {
  const router = useRouter();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, from where the user was
  useEffect(() => {
    const search = comesBack ? { next: `/console${router.state.location.href}` } : {};
    void router.navigate({ to: '/sign-in', search, replace: true });
  }, []);
  return null;
}
