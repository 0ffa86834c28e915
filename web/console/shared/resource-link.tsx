import type { ReactNode } from 'react';
import { ShortText } from './copyable-text.tsx';
import { nameErased } from './name-erased.ts';
import { TextLink } from './router-links.tsx';
import { useResourcePath } from './screens.ts';

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
      {name === '' ? <ShortText text={id} /> : <bdi>{nameErased(name)}</bdi>}
    </PageLink>
  );
}

type PageLinkProps = Omit<ResourceLinkProps, 'name'> & { readonly children: ReactNode };

function PageLink({ id, workspaceId, children }: PageLinkProps) {
  const path = useResourcePath()(id, workspaceId);
  if (path === undefined) return children;
  return (
    <TextLink to={path} title={id}>
      {children}
    </TextLink>
  );
}
