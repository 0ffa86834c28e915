import type { ReactNode } from 'react';
import { useHasScope } from '../session/session-context.tsx';
import { ShortText } from './copyable-text.tsx';
import { TextLink } from './router-links.tsx';

type ResourceLinkProps = {
  readonly id: string;
  /** Empty if it is not known. */
  readonly name: string;
  /** The workspace of a document or a link. */
  readonly workspaceId?: string | undefined;
};

/** The name or the ID of a resource, as a link if the user can open it. */
export function ResourceLink({ id, name, workspaceId }: ResourceLinkProps) {
  return (
    <PageLink id={id} workspaceId={workspaceId}>
      {name === '' ? <ShortText text={id} /> : <bdi>{name}</bdi>}
    </PageLink>
  );
}

/** The scope for each kind of page, by the prefix of the resource's ID. */
const readScopes: Record<string, string> = {
  cli: 'clients:read',
  cus: 'customers:read',
  usr: 'users:read',
  ws: 'workspaces:read',
  doc: 'documents:read',
  lnk: 'links:read',
};

type PageLinkProps = Omit<ResourceLinkProps, 'name'> & { readonly children: ReactNode };

function PageLink({ id, workspaceId, children }: PageLinkProps) {
  const hasScope = useHasScope();
  const [prefix = ''] = id.split('_');
  const scope = readScopes[prefix];
  if (scope === undefined || !hasScope(scope)) return children;
  const target = targetOf(prefix, id, workspaceId);
  if (target === undefined) return children;
  return (
    <TextLink {...target} title={id}>
      {children}
    </TextLink>
  );
}

function targetOf(prefix: string, id: string, workspaceId: string | undefined) {
  switch (prefix) {
    case 'cli':
      return { to: '/clients/$clientId', params: { clientId: id } } as const;
    case 'cus':
      return { to: '/customers/$customerId', params: { customerId: id } } as const;
    case 'usr':
      return { to: '/users/$userId', params: { userId: id } } as const;
    case 'ws':
      return { to: '/workspaces/$workspaceId/documents', params: { workspaceId: id } } as const;
  }
  if (workspaceId === undefined) return undefined;
  const at = '/workspaces/$workspaceId';
  return prefix === 'doc'
    ? ({ to: `${at}/documents/$documentId`, params: { workspaceId, documentId: id } } as const)
    : ({ to: `${at}/links/$linkId`, params: { workspaceId, linkId: id } } as const);
}
