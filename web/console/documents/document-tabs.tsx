import { useHasScope } from '../session/session-context.tsx';
import { TabLink, Tabs } from '../shared/tabs.tsx';

const tabs = [
  { to: '/workspaces/$workspaceId/documents/$documentId', label: 'Overview' },
  {
    to: '/workspaces/$workspaceId/documents/$documentId/readers',
    label: 'Readers',
    scope: 'links:read',
  },
  {
    to: '/workspaces/$workspaceId/documents/$documentId/links',
    label: 'Links',
    scope: 'links:read',
  },
  { to: '/workspaces/$workspaceId/documents/$documentId/versions', label: 'Versions' },
  { to: '/workspaces/$workspaceId/documents/$documentId/preview', label: 'Preview' },
  { to: '/workspaces/$workspaceId/documents/$documentId/details', label: 'Details' },
] as const;

type DocumentTabsProps = { readonly workspaceId: string; readonly documentId: string };

export function DocumentTabs(params: DocumentTabsProps) {
  const hasScope = useHasScope();
  return (
    <Tabs label="Document">
      {tabs.map((tab) =>
        'scope' in tab && !hasScope(tab.scope) ? null : (
          <TabLink
            key={tab.to}
            to={tab.to}
            params={params}
            activeOptions={{ exact: true, includeSearch: false }}
            resetScroll={false}
          >
            {tab.label}
          </TabLink>
        ),
      )}
    </Tabs>
  );
}
