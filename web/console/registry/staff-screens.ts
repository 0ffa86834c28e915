/** The registry: the screens of the administration. */
import {
  IconBuilding,
  IconFingerprint,
  IconHistory,
  IconLayoutGrid,
  IconServer,
  IconUserCog,
  IconWallet,
} from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { screenOptions } from '../shell/screen-options.ts';
import { shell } from './shell-route.ts';

export const staffScreens = [
  createRoute({
    getParentRoute: () => shell,
    path: '/workspaces',
    ...screenOptions(() => import('../workspaces/workspaces-screen.tsx'), 'WorkspacesScreen', {
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
    ...screenOptions(() => import('../clients/clients-screen.tsx'), 'ClientsScreen', {
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
    ...screenOptions(() => import('../clients/client-screen.tsx'), 'ClientScreen', {
      label: 'Client',
      scope: 'clients:read',
      idPrefix: 'cli',
    }),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/customers',
    ...screenOptions(() => import('../customers/customers-screen.tsx'), 'CustomersScreen', {
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
      ['kind', 'email'],
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
    path: '/audit',
    ...screenOptions(
      () => import('../audit/audit-screen.tsx'),
      'AuditScreen',
      { label: 'Audit log', menu: 'administration', icon: IconHistory, scope: 'audit:read' },
      ['actor', 'target', 'action', 'code', 'start_time', 'end_time'],
    ),
  }),
] as const;
