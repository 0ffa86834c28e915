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
import { screensBelow } from '../shell/screen-options.ts';
import { shell } from './shell-route.ts';

const screen = screensBelow(shell);

export const staffScreens = [
  screen('/overview', () => import('../home/staff-home.tsx'), 'StaffHome', {
    label: 'Overview',
    menu: 'administration',
    icon: IconDashboard,
  }),
  screen('/workspaces', () => import('../workspaces/workspaces-screen.tsx'), 'WorkspacesScreen', {
    label: 'Workspaces',
    menu: 'administration',
    icon: IconLayoutGrid,
    scope: 'workspaces:read',
    isExact: true,
    create: { label: 'Create workspace', scope: 'workspaces:write' },
    search: ['deleted'],
  }),
  screen('/clients', () => import('../clients/clients-screen.tsx'), 'ClientsScreen', {
    label: 'Clients',
    menu: 'administration',
    icon: IconServer,
    scope: 'clients:read',
    create: { label: 'Create client', scope: 'clients:write' },
    search: ['deleted'],
  }),
  screen('/clients/$clientId', () => import('../clients/client-screen.tsx'), 'ClientScreen', {
    label: 'Client',
    scope: 'clients:read',
    idPrefix: 'cli',
  }),
  screen(
    '/trusted-issuers',
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
  screen(
    '/trusted-issuers/$issuerId',
    () => import('../trusted-issuers/trusted-issuer-screen.tsx'),
    'TrustedIssuerScreen',
    { label: 'Trusted issuer', scope: 'trusted_issuers:read', idPrefix: 'iss' },
  ),
  screen('/audiences', () => import('../audiences/audiences-screen.tsx'), 'AudiencesScreen', {
    label: 'Audiences',
    menu: 'administration',
    icon: IconTargetArrow,
    scope: 'audiences:read',
    create: { label: 'Create audience', scope: 'audiences:write' },
  }),
  screen('/customers', () => import('../customers/customers-screen.tsx'), 'CustomersScreen', {
    label: 'Customers',
    menu: 'administration',
    icon: IconBuilding,
    scope: 'customers:read',
    create: { label: 'Create customer', scope: 'customers:write' },
    search: ['deleted'],
  }),
  screen(
    '/customers/$customerId',
    () => import('../customers/customer-screen.tsx'),
    'CustomerScreen',
    { label: 'Customer', scope: 'customers:read', idPrefix: 'cus' },
  ),
  screen('/accounts', () => import('../accounts/accounts-screen.tsx'), 'AccountsScreen', {
    label: 'Accounts',
    menu: 'administration',
    icon: IconWallet,
    scope: 'accounts:read',
    search: ['customer'],
  }),
  screen(
    '/signing-keys',
    () => import('../signing-keys/signing-keys-screen.tsx'),
    'SigningKeysScreen',
    {
      label: 'Signing keys',
      menu: 'administration',
      icon: IconFingerprint,
      scope: 'signing_keys:read',
    },
  ),
  screen('/users', () => import('../users/users-screen.tsx'), 'UsersScreen', {
    label: 'Users',
    menu: 'administration',
    icon: IconUserCog,
    scope: 'users:read',
    create: { label: 'Create user', scope: 'users:write' },
    search: ['kind', 'email', 'deleted'],
  }),
  screen('/users/$userId', () => import('../users/user-screen.tsx'), 'UserScreen', {
    label: 'User',
    scope: 'users:read',
    idPrefix: 'usr',
  }),
  screen('/users/$userId/access', () => import('../users/access-screen.tsx'), 'AccessScreen', {
    label: 'Access',
    parent: '/users',
    scope: 'users:read',
  }),
  screen(
    '/identity-providers',
    () => import('../providers/providers-screen.tsx'),
    'ProvidersScreen',
    {
      label: 'Sign-in providers',
      menu: 'administration',
      icon: IconBuildingFortress,
      scope: 'identity_providers:read',
      create: { label: 'Create sign-in provider', scope: 'identity_providers:write' },
    },
  ),
  screen(
    '/identity-providers/$providerId',
    () => import('../providers/provider-screen.tsx'),
    'ProviderScreen',
    { label: 'Sign-in provider', scope: 'identity_providers:read', idPrefix: 'idp' },
  ),
  screen('/audit', () => import('../audit/audit-screen.tsx'), 'AuditScreen', {
    label: 'Audit log',
    menu: 'administration',
    icon: IconHistory,
    scope: 'audit:read',
    search: ['actor', 'target', 'action', 'code', 'token_id', 'start_time', 'end_time'],
  }),
] as const;
