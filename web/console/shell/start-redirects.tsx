/** Redirects from the start: staff to the overview, others to the home of their usual workspace. */
import { Center, Loader } from '@mantine/core';
import { Navigate, useParams } from '@tanstack/react-router';
import { useUser } from '../session/session-context.tsx';
import { useUsualWorkspace } from './use-current-workspace-id.ts';

export function StartRedirect() {
  const { kind } = useUser();
  const { isKnown, id } = useUsualWorkspace(kind !== 'staff');
  if (kind === 'staff') return <Navigate to="/overview" replace />;
  if (!isKnown) {
    return (
      <Center p="xl">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (id === undefined) return <Navigate to="/workspaces" replace />;
  return <Navigate to="/workspaces/$workspaceId/home" params={{ workspaceId: id }} replace />;
}

export function WorkspaceRedirect() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/' });
  return <Navigate to="/workspaces/$workspaceId/home" params={{ workspaceId }} replace />;
}
