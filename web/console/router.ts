/** The registry: the route, menu entry, scope, address and linked resources of each screen. */
import {
  IconBuilding,
  IconFiles,
  IconFingerprint,
  IconHistory,
  IconKey,
  IconLayoutGrid,
  IconLink,
  IconServer,
  IconSettings,
  IconUserCircle,
  IconUserCog,
  IconUsers,
  IconWallet,
} from '@tabler/icons-react';
import { createRootRouteWithContext, createRoute, createRouter } from '@tanstack/react-router';
import { consolePathOf } from './session/console-address.ts';
import { SignInScreen } from './session/sign-in-screen.tsx';
import { ErrorScreen, NotFoundScreen, ShellErrorScreen } from './shell/error-screens.tsx';
import { lazy } from './shell/lazy.ts';
import { Root } from './shell/root.tsx';
import { type RouterContext, screenOptions } from './shell/screen-options.ts';
import { Shell } from './shell/shell.tsx';
import { StartRedirect, WorkspaceRedirect } from './shell/start-redirects.tsx';
import { WorkspaceOutlet } from './shell/workspace-outlet.tsx';

const root = createRootRouteWithContext<RouterContext>()({
  component: Root,
  errorComponent: ShellErrorScreen,
});

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

const workspaceScreens = [
  createRoute({ getParentRoute: () => workspace, path: '/', component: WorkspaceRedirect }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents',
    ...screenOptions(() => import('./documents/documents-screen.tsx'), 'DocumentsScreen', {
      label: 'Documents',
      menu: 'workspace',
      icon: IconFiles,
      scope: 'documents:read',
      idPrefix: 'ws',
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents/$documentId',
    ...screenOptions(() => import('./documents/document-screen.tsx'), 'DocumentScreen', {
      label: 'Document',
      scope: 'documents:read',
      idPrefix: 'doc',
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links',
    ...screenOptions(() => import('./links/links-screen.tsx'), 'LinksScreen', {
      label: 'Links',
      menu: 'workspace',
      icon: IconLink,
      scope: 'links:read',
      create: { label: 'Create link', scope: 'links:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links/$linkId',
    ...screenOptions(() => import('./links/link-screen.tsx'), 'LinkScreen', {
      label: 'Link',
      scope: 'links:read',
      idPrefix: 'lnk',
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/members',
    ...screenOptions(() => import('./members/members-screen.tsx'), 'MembersScreen', {
      label: 'Members',
      menu: 'workspace',
      icon: IconUsers,
      scope: 'workspaces:read',
      create: { label: 'Invite by email', scope: 'workspaces:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/api-keys',
    ...screenOptions(() => import('./settings/api-keys-screen.tsx'), 'ApiKeysScreen', {
      label: 'API keys',
      menu: 'settings',
      icon: IconKey,
      scope: 'api_keys:read',
      create: { label: 'Create API key', scope: 'api_keys:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/general',
    ...screenOptions(
      () => import('./settings/general-settings-screen.tsx'),
      'GeneralSettingsScreen',
      {
        label: 'General',
        menu: 'settings',
        icon: IconSettings,
        scope: 'workspaces:write',
      },
    ),
  }),
] as const;

const otherScreens = [
  createRoute({
    getParentRoute: () => shell,
    path: '/workspaces',
    ...screenOptions(() => import('./workspaces/workspaces-screen.tsx'), 'WorkspacesScreen', {
      label: 'Workspaces',
      menu: 'administration',
      icon: IconLayoutGrid,
      scope: 'workspaces:read',
      isExact: true,
      create: { label: 'Create workspace', scope: 'workspaces:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients',
    ...screenOptions(() => import('./clients/clients-screen.tsx'), 'ClientsScreen', {
      label: 'Clients',
      menu: 'administration',
      icon: IconServer,
      scope: 'clients:read',
      create: { label: 'Create client', scope: 'clients:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients/$clientId',
    ...screenOptions(() => import('./clients/client-screen.tsx'), 'ClientScreen', {
      label: 'Client',
      scope: 'clients:read',
      idPrefix: 'cli',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers',
    ...screenOptions(() => import('./customers/customers-screen.tsx'), 'CustomersScreen', {
      label: 'Customers',
      menu: 'administration',
      icon: IconBuilding,
      scope: 'customers:read',
      create: { label: 'Create customer', scope: 'customers:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers/$customerId',
    ...screenOptions(() => import('./customers/customer-screen.tsx'), 'CustomerScreen', {
      label: 'Customer',
      scope: 'customers:read',
      idPrefix: 'cus',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/accounts',
    ...screenOptions(
      () => import('./accounts/accounts-screen.tsx'),
      'AccountsScreen',
      { label: 'Accounts', menu: 'administration', icon: IconWallet, scope: 'accounts:read' },
      ['customer'],
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/signing-keys',
    ...screenOptions(() => import('./signing-keys/signing-keys-screen.tsx'), 'SigningKeysScreen', {
      label: 'Signing keys',
      menu: 'administration',
      icon: IconFingerprint,
      scope: 'signing_keys:read',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users',
    ...screenOptions(
      () => import('./users/users-screen.tsx'),
      'UsersScreen',
      {
        label: 'Users',
        menu: 'administration',
        icon: IconUserCog,
        scope: 'users:read',
        create: { label: 'Create user', scope: 'users:write' },
      },
      ['kind', 'email'],
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users/$userId',
    ...screenOptions(() => import('./users/user-screen.tsx'), 'UserScreen', {
      label: 'User',
      scope: 'users:read',
      idPrefix: 'usr',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    ...screenOptions(
      () => import('./audit/audit-screen.tsx'),
      'AuditScreen',
      { label: 'Audit log', menu: 'administration', icon: IconHistory, scope: 'audit:read' },
      ['actor', 'target', 'action', 'code', 'start_time', 'end_time'],
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/account',
    ...screenOptions(() => import('./account/account-screen.tsx'), 'AccountScreen', {
      label: 'Your account',
      menu: 'user',
      icon: IconUserCircle,
    }),
  }),
  createRoute({ getParentRoute: () => shell, path: '/$', component: NotFoundScreen }),
] as const;

const tree = root.addChildren([
  signIn,
  ...signedOutRoutes,
  shell.addChildren([start, workspace.addChildren([...workspaceScreens]), ...otherScreens]),
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
