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
import { screensBelow, tabsOf } from '../shell/screen-options.ts';
import { WorkspaceRedirect } from '../shell/start-redirects.tsx';
import { WorkspaceOutlet } from '../shell/workspace-outlet.tsx';
import { shell } from './shell-route.ts';

const workspace = createRoute({
  getParentRoute: () => shell,
  path: '/workspaces/$workspaceId',
  component: WorkspaceOutlet,
});

const screen = screensBelow(workspace);

const document = screen(
  '/documents/$documentId',
  () => import('../documents/document-screen.tsx'),
  'DocumentScreen',
  { label: 'Document', scope: 'documents:read', idPrefix: 'doc' },
);

const tab = tabsOf(document);

const documentTabs = [
  tab('/', () => import('../documents/tabs/overview-tab.tsx'), 'OverviewTab'),
  tab('/readers', () => import('../documents/tabs/readers-tab.tsx'), 'ReadersTab'),
  tab('/links', () => import('../documents/tabs/links-tab.tsx'), 'LinksTab'),
  tab('/versions', () => import('../documents/tabs/versions-tab.tsx'), 'VersionsTab'),
  tab('/preview', () => import('../documents/tabs/preview-tab.tsx'), 'PreviewTab'),
  tab('/details', () => import('../documents/tabs/details-tab.tsx'), 'DetailsTab'),
] as const;

const screens = [
  createRoute({ getParentRoute: () => workspace, path: '/', component: WorkspaceRedirect }),
  screen('/home', () => import('../home/workspace-home.tsx'), 'WorkspaceHome', {
    label: 'Home',
    menu: 'workspace',
    icon: IconHome,
    scope: 'documents:read',
  }),
  screen('/documents', () => import('../documents/documents-screen.tsx'), 'DocumentsScreen', {
    label: 'Documents',
    menu: 'workspace',
    icon: IconFiles,
    scope: 'documents:read',
    idPrefix: 'ws',
  }),
  document.addChildren([...documentTabs]),
  screen(
    '/documents/folders/$folderId',
    () => import('../documents/folder-screen.tsx'),
    'FolderScreen',
    { label: 'Folder', scope: 'documents:read', idPrefix: 'fld' },
  ),
  screen('/links', () => import('../links/links-screen.tsx'), 'LinksScreen', {
    label: 'Links',
    menu: 'workspace',
    icon: IconLink,
    scope: 'links:read',
    create: { label: 'Create link', scope: 'links:write' },
    search: ['state', 'person', 'target', 'expire_before'],
  }),
  screen('/links/$linkId', () => import('../links/link-screen.tsx'), 'LinkScreen', {
    label: 'Link',
    scope: 'links:read',
    idPrefix: 'lnk',
  }),
  screen('/readers', () => import('../visitors/visitors-screen.tsx'), 'VisitorsScreen', {
    label: 'Readers',
    menu: 'workspace',
    icon: IconAddressBook,
    scope: 'links:read',
  }),
  screen('/readers/$email', () => import('../visitors/visitor-screen.tsx'), 'VisitorScreen', {
    label: 'Reader',
    scope: 'links:read',
  }),
  screen('/members', () => import('../members/members-screen.tsx'), 'MembersScreen', {
    label: 'Members',
    menu: 'workspace',
    icon: IconUsers,
    scope: 'workspaces:read',
    create: { label: 'Invite by email', scope: 'workspaces:write' },
  }),
  screen('/settings/api-keys', () => import('../settings/api-keys-screen.tsx'), 'ApiKeysScreen', {
    label: 'API keys',
    menu: 'settings',
    icon: IconKey,
    scope: 'api_keys:read',
    create: { label: 'Create API key', scope: 'api_keys:write' },
  }),
  screen('/settings/domains', () => import('../settings/domains-screen.tsx'), 'DomainsScreen', {
    label: 'Domains',
    menu: 'settings',
    icon: IconWorld,
    scope: 'workspaces:write',
    create: { label: 'Add domain', scope: 'workspaces:write' },
  }),
  screen(
    '/settings/general',
    () => import('../settings/general-settings-screen.tsx'),
    'GeneralSettingsScreen',
    { label: 'General', menu: 'settings', icon: IconSettings, scope: 'workspaces:write' },
  ),
] as const;

export const workspaceScreens = workspace.addChildren([...screens]);
