/** Which page stands at which address, below `/console`. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { readAuditSearch } from './audit/audit-search.ts';
import { consoleAddressOf } from './session/next.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { AllBroken, Broken, NoSuchPage } from './shell/lost.tsx';
import { Root } from './shell/root.tsx';
import { Shell } from './shell/shell.tsx';
import { Start, WorkspaceStart } from './shell/start.tsx';
import { readUserSearch } from './users/user-search.ts';

const root = createRootRoute({ component: Root, errorComponent: AllBroken });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInPage,
  // A member that is left out here would stay as it was sent: `undefined` takes it away.
  validateSearch: ({ next }): { next?: string | undefined } => ({
    next: typeof next === 'string' ? consoleAddressOf(next) : undefined,
  }),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  errorComponent: AllBroken,
});

const start = createRoute({ getParentRoute: () => shell, path: '/', component: Start });

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
    component: page(() => import('./account/account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/workspaces',
    component: page(() => import('./workspaces/workspaces-page.tsx'), 'WorkspacesPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients',
    component: page(() => import('./clients/clients-page.tsx'), 'ClientsPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients/$clientId',
    component: page(() => import('./clients/client-page.tsx'), 'ClientPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers',
    component: page(() => import('./customers/customers-page.tsx'), 'CustomersPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers/$customerId',
    component: page(() => import('./customers/customer-page.tsx'), 'CustomerPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/accounts',
    component: page(() => import('./accounts/accounts-page.tsx'), 'AccountsPage'),
    // The id of the customer whose accounts are shown; unset for all.
    validateSearch: ({ customer }): { customer?: string } =>
      typeof customer === 'string' && customer !== '' ? { customer } : {},
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/signing-keys',
    component: page(() => import('./signing-keys/signing-keys-page.tsx'), 'SigningKeysPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users',
    component: page(() => import('./users/users-page.tsx'), 'UsersPage'),
    validateSearch: readUserSearch,
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users/$userId',
    component: page(() => import('./users/user-page.tsx'), 'UserPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    component: page(() => import('./audit/audit-page.tsx'), 'AuditPage'),
    validateSearch: readAuditSearch,
  }),
  // Every address that is no page's.
  createRoute({
    getParentRoute: () => shell,
    path: '/$',
    component: NoSuchPage,
  }),
] as const;

const ofWorkspace = [
  createRoute({ getParentRoute: () => workspace, path: '/', component: WorkspaceStart }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents',
    component: page(() => import('./documents/documents-page.tsx'), 'DocumentsPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents/$documentId',
    component: page(() => import('./documents/document-page.tsx'), 'DocumentPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links',
    component: page(() => import('./links/links-page.tsx'), 'LinksPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links/$linkId',
    component: page(() => import('./links/link-page.tsx'), 'LinkPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/members',
    component: page(() => import('./members/members-page.tsx'), 'MembersPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/general',
    component: page(() => import('./settings/general-page.tsx'), 'GeneralPage'),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/api-keys',
    component: page(() => import('./settings/api-keys-page.tsx'), 'ApiKeysPage'),
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
    defaultErrorComponent: Broken,
    scrollRestoration: false,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
