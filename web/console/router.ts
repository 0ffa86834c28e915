/** Which page stands at which address, below `/console`. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { readAuditSearch } from './audit/audit-search.ts';
import { toConsoleAddress } from './session/console-address.ts';
import { SignInScreen } from './session/sign-in-screen.tsx';
import { ErrorScreen, NotFoundScreen, ShellErrorScreen } from './shell/error-screens.tsx';
import { Root } from './shell/root.tsx';
import { Shell } from './shell/shell.tsx';
import { StartRedirect, WorkspaceRedirect } from './shell/start-redirects.tsx';
import { readUserSearch } from './users/user-search.ts';

const root = createRootRoute({ component: Root, errorComponent: ShellErrorScreen });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInScreen,
  // A member that is left out here would stay as it was sent: `undefined` takes it away.
  validateSearch: ({ next }): { next?: string | undefined } => ({
    next: typeof next === 'string' ? toConsoleAddress(next) : undefined,
  }),
});

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
});

/** Loads the code of a page once somebody goes there. */
const page = lazyRouteComponent;

const ofShell = [
  createRoute({
    getParentRoute: () => shell,
    path: '/account',
    component: page(() => import('./account/account-screen.tsx'), 'AccountScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/workspaces',
    component: page(() => import('./workspaces/workspaces-screen.tsx'), 'WorkspacesScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients',
    component: page(() => import('./clients/clients-screen.tsx'), 'ClientsScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients/$clientId',
    component: page(() => import('./clients/client-screen.tsx'), 'ClientScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers',
    component: page(() => import('./customers/customers-screen.tsx'), 'CustomersScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers/$customerId',
    component: page(() => import('./customers/customer-screen.tsx'), 'CustomerScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/accounts',
    component: page(() => import('./accounts/accounts-screen.tsx'), 'AccountsScreen'),
    // The id of the customer whose accounts are shown; unset for all.
    validateSearch: ({ customer }): { customer?: string } =>
      typeof customer === 'string' && customer !== '' ? { customer } : {},
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/signing-keys',
    component: page(() => import('./signing-keys/signing-keys-screen.tsx'), 'SigningKeysScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users',
    component: page(() => import('./users/users-screen.tsx'), 'UsersScreen'),
    validateSearch: readUserSearch,
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users/$userId',
    component: page(() => import('./users/user-screen.tsx'), 'UserScreen'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    component: page(() => import('./audit/audit-screen.tsx'), 'AuditScreen'),
    validateSearch: readAuditSearch,
  }),
  // Every address that is no page's.
  createRoute({
    getParentRoute: () => shell,
    path: '/$',
    component: NotFoundScreen,
  }),
] as const;

const ofWorkspace = [
  createRoute({ getParentRoute: () => workspace, path: '/', component: WorkspaceRedirect }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents',
    component: page(() => import('./documents/documents-screen.tsx'), 'DocumentsScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents/$documentId',
    component: page(() => import('./documents/document-screen.tsx'), 'DocumentScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links',
    component: page(() => import('./links/links-screen.tsx'), 'LinksScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links/$linkId',
    component: page(() => import('./links/link-screen.tsx'), 'LinkScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/members',
    component: page(() => import('./members/members-screen.tsx'), 'MembersScreen'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/general',
    component: page(
      () => import('./settings/general-settings-screen.tsx'),
      'GeneralSettingsScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/api-keys',
    component: page(() => import('./settings/api-keys-screen.tsx'), 'ApiKeysScreen'),
  }),
] as const;

const tree = root.addChildren([
  signIn,
  shell.addChildren([start, ...ofShell, workspace.addChildren([...ofWorkspace])]),
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
