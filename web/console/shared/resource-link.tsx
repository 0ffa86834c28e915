import type { ReactNode } from 'react';
import { ShortText } from './copyable-text.tsx';
import { useReadablePrefix, useResourceName } from './resource-name.ts';
import { TextLink } from './router-links.tsx';

/** The name or the ID of a resource, as a link if the user can open it. */
export function ResourceLink({ id }: { readonly id: string }) {
  const name = useResourceName(id);
  return (
    <IdLink id={id}>{name === undefined ? <ShortText text={id} /> : <bdi>{name}</bdi>}</IdLink>
  );
}

type IdLinkProps = { readonly id: string; readonly children: ReactNode };

function IdLink({ id, children }: IdLinkProps) {
  const prefix = useReadablePrefix(id);
  switch (prefix) {
    case 'cli_':
      return (
        <TextLink to="/clients/$clientId" params={{ clientId: id }} title={id}>
          {children}
        </TextLink>
      );
    case 'cus_':
      return (
        <TextLink to="/customers/$customerId" params={{ customerId: id }} title={id}>
          {children}
        </TextLink>
      );
    case 'usr_':
      return (
        <TextLink to="/users/$userId" params={{ userId: id }} title={id}>
          {children}
        </TextLink>
      );
    case 'ws_':
      return (
        <TextLink to="/workspaces/$workspaceId/documents" params={{ workspaceId: id }} title={id}>
          {children}
        </TextLink>
      );
    case undefined:
      return children;
  }
}
