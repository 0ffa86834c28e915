/** The entries of the menu and of the command palette. */
import {
  type Icon,
  IconBuilding,
  IconFiles,
  IconFingerprint,
  IconHistory,
  IconKey,
  IconLayoutGrid,
  IconLink,
  IconServer,
  IconSettings,
  IconUserCog,
  IconUsers,
  IconWallet,
} from '@tabler/icons-react';

export type MenuItem = {
  readonly label: string;
  readonly path: string;
  readonly scope: string;
  readonly icon: Icon;
  /** Whether the screens below the path have other entries. */
  readonly isExact?: boolean;
};

export const workspaceItems: readonly MenuItem[] = [
  { label: 'Documents', path: 'documents', scope: 'documents:read', icon: IconFiles },
  { label: 'Links', path: 'links', scope: 'links:read', icon: IconLink },
  { label: 'Members', path: 'members', scope: 'workspaces:read', icon: IconUsers },
];

export const settingsItems: readonly MenuItem[] = [
  { label: 'API keys', path: 'settings/api-keys', scope: 'api_keys:read', icon: IconKey },
  { label: 'General', path: 'settings/general', scope: 'workspaces:write', icon: IconSettings },
];

export const staffItems: readonly MenuItem[] = [
  {
    label: 'Workspaces',
    path: '/workspaces',
    scope: 'workspaces:read',
    icon: IconLayoutGrid,
    isExact: true,
  },
  { label: 'Clients', path: '/clients', scope: 'clients:read', icon: IconServer },
  { label: 'Customers', path: '/customers', scope: 'customers:read', icon: IconBuilding },
  { label: 'Accounts', path: '/accounts', scope: 'accounts:read', icon: IconWallet },
  {
    label: 'Signing keys',
    path: '/signing-keys',
    scope: 'signing_keys:read',
    icon: IconFingerprint,
  },
  { label: 'Users', path: '/users', scope: 'users:read', icon: IconUserCog },
  { label: 'Audit log', path: '/audit', scope: 'audit:read', icon: IconHistory },
];
