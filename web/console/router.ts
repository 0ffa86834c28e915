/** The routes below `/console`. */
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { readAuditSearch } from './audit/audit-search.ts';
import { consolePathOf } from './session/console-address.ts';
import { SignInScreen } from './session/sign-in-screen.tsx';
import { ErrorScreen, NotFoundScreen, ShellErrorScreen } from './shell/error-screens.tsx';
import { lazy } from './shell/lazy.ts';
import { Root } from './shell/root.tsx';
import { Shell } from './shell/shell.tsx';
import { StartRedirect, WorkspaceRedirect } from './shell/start-redirects.tsx';
import { WorkspaceOutlet } from './shell/workspace-outlet.tsx';
import { readUserSearch } from './users/user-search.ts';

const root = createRootRoute({ component: Root, errorComponent: ShellErrorScreen });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInScreen,
  // The router keeps unknown values; only an explicit `undefined` removes one.
  validateSearch: ({ next }): { next?: string | undefined } => ({
    next: typeof next === 'string' ? consolePathOf(next) : undefined,
  }),
});

const signedOutRoutes = [
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
] as const;

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  errorComponent: ShellErrorScreen,
});

const start = createRoute({ getParentRoute: () => shell, path: '/', component: StartRedirect });

const workspace = createRoute({
  getParentRoute: () => shell,
  path: '/workspaces/$workspaceId',
  component: WorkspaceOutlet,
});

const shellRoutes = [
  createRoute({
    getParentRoute: () => shell,
    path: '/account',
    component: lazy(() => import('./account/account-screen.tsx'), 'AccountScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/workspaces',
    component: lazy(() => import('./workspaces/workspaces-screen.tsx'), 'WorkspacesScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients',
    component: lazy(() => import('./clients/clients-screen.tsx'), 'ClientsScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients/$clientId',
    component: lazy(() => import('./clients/client-screen.tsx'), 'ClientScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers',
    component: lazy(() => import('./customers/customers-screen.tsx'), 'CustomersScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers/$customerId',
    component: lazy(() => import('./customers/customer-screen.tsx'), 'CustomerScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/accounts',
    component: lazy(() => import('./accounts/accounts-screen.tsx'), 'AccountsScreen'),
    // The ID of a customer; unset shows all accounts.
    validateSearch: ({ customer }): { customer?: string } =>
      typeof customer === 'string' && customer !== '' ? { customer } : {},
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/signing-keys',
    component: lazy(() => import('./signing-keys/signing-keys-screen.tsx'), 'SigningKeysScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users',
    component: lazy(() => import('./users/users-screen.tsx'), 'UsersScreen'),
    validateSearch: readUserSearch,
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users/$userId',
    component: lazy(() => import('./users/user-screen.tsx'), 'UserScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    component: lazy(() => import('./audit/audit-screen.tsx'), 'AuditScreen'),
    validateSearch: readAuditSearch,
  }),
  // Unknown paths.
  createRoute({
    getParentRoute: () => shell,
    path: '/$',
    component: NotFoundScreen,
  }),
] as const;

const workspaceRoutes = [
  createRoute({ getParentRoute: () => workspace, path: '/', component: WorkspaceRedirect }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents',
    component: lazy(() => import('./documents/documents-screen.tsx'), 'DocumentsScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents/$documentId',
    component: lazy(() => import('./documents/document-screen.tsx'), 'DocumentScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links',
    component: lazy(() => import('./links/links-screen.tsx'), 'LinksScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links/$linkId',
    component: lazy(() => import('./links/link-screen.tsx'), 'LinkScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/members',
    component: lazy(() => import('./members/members-screen.tsx'), 'MembersScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/general',
    component: lazy(
      () => import('./settings/general-settings-screen.tsx'),
      'GeneralSettingsScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/api-keys',
    component: lazy(() => import('./settings/api-keys-screen.tsx'), 'ApiKeysScreen'),
  }),
] as const;

const tree = root.addChildren([
  signIn,
  ...signedOutRoutes,
  shell.addChildren([start, ...shellRoutes, workspace.addChildren([...workspaceRoutes])]),
]);

export function createConsoleRouter() {
  return createRouter({
    routeTree: tree,
    basepath: '/console',
    defaultErrorComponent: ErrorScreen,
    scrollRestoration: false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
