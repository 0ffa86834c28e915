/** The registry: the screens of the administration. */
import {
  IconBuilding,
  IconBuildingFortress,
  IconCloudLock,
  IconDashboard,
  IconFingerprint,
  IconHistory,
  IconLayoutGrid,
  IconServer,
  IconTargetArrow,
  IconUserCog,
  IconWallet,
} from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { screenOptions } from '../shell/screen-options.ts';
import { shell } from './shell-route.ts';

export const staffScreens = [
  createRoute({
    getParentRoute: () => shell,
    path: '/overview',
    ...screenOptions(() => import('../home/staff-home.tsx'), 'StaffHome', {
      label: 'Overview',
      menu: 'administration',
      icon: IconDashboard,
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/workspaces',
    ...screenOptions(
      () => import('../workspaces/workspaces-screen.tsx'),
      'WorkspacesScreen',
      {
        label: 'Workspaces',
        menu: 'administration',
        icon: IconLayoutGrid,
        scope: 'workspaces:read',
        isExact: true,
        create: { label: 'Create workspace', scope: 'workspaces:write' },
      },
      ['deleted'],
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients',
    ...screenOptions(
      () => import('../clients/clients-screen.tsx'),
      'ClientsScreen',
      {
        label: 'Clients',
        menu: 'administration',
        icon: IconServer,
        scope: 'clients:read',
        create: { label: 'Create client', scope: 'clients:write' },
      },
      ['deleted'],
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/clients/$clientId',
    ...screenOptions(() => import('../clients/client-screen.tsx'), 'ClientScreen', {
      label: 'Client',
      scope: 'clients:read',
      idPrefix: 'cli',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/trusted-issuers',
    ...screenOptions(
      () => import('../trusted-issuers/trusted-issuers-screen.tsx'),
      'TrustedIssuersScreen',
      {
        label: 'Trusted issuers',
        menu: 'administration',
        icon: IconCloudLock,
        scope: 'trusted_issuers:read',
        create: { label: 'Add issuer', scope: 'trusted_issuers:write' },
      },
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/trusted-issuers/$issuerId',
    ...screenOptions(
      () => import('../trusted-issuers/trusted-issuer-screen.tsx'),
      'TrustedIssuerScreen',
      { label: 'Trusted issuer', scope: 'trusted_issuers:read', idPrefix: 'iss' },
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/audiences',
    ...screenOptions(() => import('../audiences/audiences-screen.tsx'), 'AudiencesScreen', {
      label: 'Audiences',
      menu: 'administration',
      icon: IconTargetArrow,
      scope: 'audiences:read',
      create: { label: 'Create audience', scope: 'audiences:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers',
    ...screenOptions(
      () => import('../customers/customers-screen.tsx'),
      'CustomersScreen',
      {
        label: 'Customers',
        menu: 'administration',
        icon: IconBuilding,
        scope: 'customers:read',
        create: { label: 'Create customer', scope: 'customers:write' },
      },
      ['deleted'],
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers/$customerId',
    ...screenOptions(() => import('../customers/customer-screen.tsx'), 'CustomerScreen', {
      label: 'Customer',
      scope: 'customers:read',
      idPrefix: 'cus',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/accounts',
    ...screenOptions(
      () => import('../accounts/accounts-screen.tsx'),
      'AccountsScreen',
      { label: 'Accounts', menu: 'administration', icon: IconWallet, scope: 'accounts:read' },
      ['customer'],
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/signing-keys',
    ...screenOptions(() => import('../signing-keys/signing-keys-screen.tsx'), 'SigningKeysScreen', {
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
      () => import('../users/users-screen.tsx'),
      'UsersScreen',
      {
        label: 'Users',
        menu: 'administration',
        icon: IconUserCog,
        scope: 'users:read',
        create: { label: 'Create user', scope: 'users:write' },
      },
      ['kind', 'email', 'deleted'],
    ),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users/$userId',
    ...screenOptions(() => import('../users/user-screen.tsx'), 'UserScreen', {
      label: 'User',
      scope: 'users:read',
      idPrefix: 'usr',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/users/$userId/access',
    ...screenOptions(() => import('../users/access-screen.tsx'), 'AccessScreen', {
      label: 'Access',
      parent: '/users',
      scope: 'users:read',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/identity-providers',
    ...screenOptions(() => import('../providers/providers-screen.tsx'), 'ProvidersScreen', {
      label: 'Sign-in providers',
      menu: 'administration',
      icon: IconBuildingFortress,
      scope: 'identity_providers:read',
      create: { label: 'Create sign-in provider', scope: 'identity_providers:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/identity-providers/$providerId',
    ...screenOptions(() => import('../providers/provider-screen.tsx'), 'ProviderScreen', {
      label: 'Sign-in provider',
      scope: 'identity_providers:read',
      idPrefix: 'idp',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/audit',
    ...screenOptions(
      () => import('../audit/audit-screen.tsx'),
      'AuditScreen',
      { label: 'Audit log', menu: 'administration', icon: IconHistory, scope: 'audit:read' },
      ['actor', 'target', 'action', 'code', 'token_id', 'start_time', 'end_time'],
    ),
  }),
] as const;
