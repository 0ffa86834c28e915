/** The registry: the screens of a workspace. */
import {
  IconAddressBook,
  IconFiles,
  IconHome,
  IconKey,
  IconLink,
  IconSettings,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { createRoute } from '@tanstack/react-router';
import { screenOptions, tabOptions } from '../shell/screen-options.ts';
import { WorkspaceRedirect } from '../shell/start-redirects.tsx';
import { WorkspaceOutlet } from '../shell/workspace-outlet.tsx';
import { shell } from './shell-route.ts';

const workspace = createRoute({
  getParentRoute: () => shell,
  path: '/workspaces/$workspaceId',
  component: WorkspaceOutlet,
});

const document = createRoute({
  getParentRoute: () => workspace,
  path: '/documents/$documentId',
  ...screenOptions(() => import('../documents/document-screen.tsx'), 'DocumentScreen', {
    label: 'Document',
    scope: 'documents:read',
    idPrefix: 'doc',
  }),
});

const documentTabs = [
  createRoute({
    getParentRoute: () => document,
    path: '/',
    ...tabOptions(() => import('../documents/tabs/overview-tab.tsx'), 'OverviewTab'),
  }),
  createRoute({
    getParentRoute: () => document,
    path: '/readers',
    ...tabOptions(() => import('../documents/tabs/readers-tab.tsx'), 'ReadersTab'),
  }),
  createRoute({
    getParentRoute: () => document,
    path: '/links',
    ...tabOptions(() => import('../documents/tabs/links-tab.tsx'), 'LinksTab'),
  }),
  createRoute({
    getParentRoute: () => document,
    path: '/versions',
    ...tabOptions(() => import('../documents/tabs/versions-tab.tsx'), 'VersionsTab'),
  }),
  createRoute({
    getParentRoute: () => document,
    path: '/preview',
    ...tabOptions(() => import('../documents/tabs/preview-tab.tsx'), 'PreviewTab'),
  }),
  createRoute({
    getParentRoute: () => document,
    path: '/details',
    ...tabOptions(() => import('../documents/tabs/details-tab.tsx'), 'DetailsTab'),
  }),
] as const;

const screens = [
  createRoute({ getParentRoute: () => workspace, path: '/', component: WorkspaceRedirect }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/home',
    ...screenOptions(() => import('../home/workspace-home.tsx'), 'WorkspaceHome', {
      label: 'Home',
      menu: 'workspace',
      icon: IconHome,
      scope: 'documents:read',
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents',
    ...screenOptions(() => import('../documents/documents-screen.tsx'), 'DocumentsScreen', {
      label: 'Documents',
      menu: 'workspace',
      icon: IconFiles,
      scope: 'documents:read',
      idPrefix: 'ws',
    }),
  }),
  document.addChildren([...documentTabs]),
  createRoute({
    getParentRoute: () => workspace,
    path: '/documents/folders/$folderId',
    ...screenOptions(() => import('../documents/folder-screen.tsx'), 'FolderScreen', {
      label: 'Folder',
      scope: 'documents:read',
      idPrefix: 'fld',
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links',
    ...screenOptions(
      () => import('../links/links-screen.tsx'),
      'LinksScreen',
      {
        label: 'Links',
        menu: 'workspace',
        icon: IconLink,
        scope: 'links:read',
        create: { label: 'Create link', scope: 'links:write' },
      },
      ['state', 'person', 'target', 'expire_before'],
    ),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/links/$linkId',
    ...screenOptions(() => import('../links/link-screen.tsx'), 'LinkScreen', {
      label: 'Link',
      scope: 'links:read',
      idPrefix: 'lnk',
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/readers',
    ...screenOptions(() => import('../visitors/visitors-screen.tsx'), 'VisitorsScreen', {
      label: 'Readers',
      menu: 'workspace',
      icon: IconAddressBook,
      scope: 'links:read',
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/readers/$email',
    ...screenOptions(() => import('../visitors/visitor-screen.tsx'), 'VisitorScreen', {
      label: 'Reader',
      scope: 'links:read',
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/members',
    ...screenOptions(() => import('../members/members-screen.tsx'), 'MembersScreen', {
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
    ...screenOptions(() => import('../settings/api-keys-screen.tsx'), 'ApiKeysScreen', {
      label: 'API keys',
      menu: 'settings',
      icon: IconKey,
      scope: 'api_keys:read',
      create: { label: 'Create API key', scope: 'api_keys:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/domains',
    ...screenOptions(() => import('../settings/domains-screen.tsx'), 'DomainsScreen', {
      label: 'Domains',
      menu: 'settings',
      icon: IconWorld,
      scope: 'workspaces:write',
      create: { label: 'Add domain', scope: 'workspaces:write' },
    }),
  }),
  createRoute({
    getParentRoute: () => workspace,
    path: '/settings/general',
    ...screenOptions(
      () => import('../settings/general-settings-screen.tsx'),
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

export const workspaceScreens = workspace.addChildren([...screens]);
