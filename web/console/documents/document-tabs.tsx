/** Links to the parts of a document, so that each has an address, and Back and a reload work. */
import { createLink } from '@tanstack/react-router';
import { type ComponentProps, useEffect, useRef } from 'react';
import { useHasScope } from '../session/session-context.tsx';
import classes from './document-tabs.module.css';

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

/** The router sets `aria-current` on the link to the shown part. */
const TabLink = createLink((props: ComponentProps<'a'>) => (
  <a {...props} className={classes.tab} />
));

type DocumentTabsProps = { readonly workspaceId: string; readonly documentId: string };

export function DocumentTabs(params: DocumentTabsProps) {
  const hasScope = useHasScope();
  const strip = useRef<HTMLElement>(null);
  // On a narrow phone, the last tabs begin outside of the strip.
  useEffect(() => {
    const current = strip.current?.querySelector('[aria-current=page]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, []);
  return (
    <nav ref={strip} aria-label="Document" className={classes.tabs}>
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
    </nav>
  );
}
