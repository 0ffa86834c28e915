/** The router. The screens are in `registry/`. */
import { IconUserCircle } from '@tabler/icons-react';
import { createRoute, createRouter } from '@tanstack/react-router';
import { root, shell } from './registry/shell-route.ts';
import { staffScreens } from './registry/staff-screens.ts';
import { workspaceScreens } from './registry/workspace-screens.ts';
import { consolePathOf } from './session/console-address.ts';
import { SignInScreen } from './session/sign-in-screen.tsx';
import { ErrorScreen, NotFoundScreen } from './shell/error-screens.tsx';
import { lazy } from './shell/lazy.ts';
import { type RouterContext, screensBelow } from './shell/screen-options.ts';
import { StartRedirect } from './shell/start-redirects.tsx';

type SignInSearch = {
  readonly next?: string | undefined;
  /** Why the service refused a sign-in with an identity provider. */
  readonly problem?: string | undefined;
};

const problemOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInScreen,
  // The router keeps unknown values; only an explicit `undefined` removes one.
  validateSearch: ({ next, problem }): SignInSearch => ({
    next: typeof next === 'string' ? consolePathOf(next) : undefined,
    problem: problemOf(problem),
  }),
});

const signedOutRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/signed-in',
    component: lazy(() => import('./session/signed-in-screen.tsx'), 'SignedInScreen'),
    validateSearch: ({
      next,
      problem,
      step_up,
    }): SignInSearch & { step_up?: true | undefined } => ({
      next: typeof next === 'string' ? consolePathOf(next) : undefined,
      problem: problemOf(problem),
      step_up: step_up === true || step_up === 'true' ? true : undefined,
    }),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/forgot-password',
    component: lazy(() => import('./session/password-reset-screens.tsx'), 'ForgotPasswordScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/reset-password',
    component: lazy(() => import('./session/password-reset-screens.tsx'), 'ResetPasswordScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invitation',
    component: lazy(() => import('./session/invitation-screen.tsx'), 'InvitationScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/device',
    component: lazy(() => import('./session/device-screen.tsx'), 'DeviceScreen'),
  }),
] as const;

const start = createRoute({ getParentRoute: () => shell, path: '/', component: StartRedirect });

const screen = screensBelow(shell);

const otherScreens = [
  screen('/account', () => import('./account/account-screen.tsx'), 'AccountScreen', {
    label: 'Your account',
    menu: 'user',
    icon: IconUserCircle,
  }),
  createRoute({ getParentRoute: () => shell, path: '/$', component: NotFoundScreen }),
] as const;

const tree = root.addChildren([
  signIn,
  ...signedOutRoutes,
  shell.addChildren([start, workspaceScreens, ...staffScreens, ...otherScreens]),
]);

export function createConsoleRouter(context: RouterContext) {
  return createRouter({
    routeTree: tree,
    basepath: '/console',
    context,
    defaultErrorComponent: ErrorScreen,
    defaultPreload: 'intent',
    scrollRestoration: false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
