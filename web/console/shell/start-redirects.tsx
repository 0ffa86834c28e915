/** Redirects from the start to the documents of the usual workspace or to the list. */
import { Center, Loader } from '@mantine/core';
import { Navigate, useParams } from '@tanstack/react-router';
import { useUser } from '../session/session-context.tsx';
import { useUsualWorkspace } from './use-current-workspace-id.ts';

export function StartRedirect() {
  const { kind } = useUser();
  const { isKnown, id } = useUsualWorkspace(kind === 'member');
  if (kind !== 'member') return <Navigate to="/workspaces" replace />;
  if (!isKnown) {
    return (
      <Center p="xl">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (id === undefined) return <Navigate to="/workspaces" replace />;
  return <Navigate to="/workspaces/$workspaceId/documents" params={{ workspaceId: id }} replace />;
}

export function WorkspaceRedirect() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/' });
  return <Navigate to="/workspaces/$workspaceId/documents" params={{ workspaceId }} replace />;
}
