/** Redirects from the start to the documents of the only workspace or to the list. */
import { useQuery } from '@connectrpc/connect-query';
import { Center, Loader } from '@mantine/core';
import { Navigate, useParams } from '@tanstack/react-router';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useUser } from '../session/session-context.tsx';

export function StartRedirect() {
  const { kind } = useUser();
  const { data, error } = useQuery(WorkspaceService.method.listWorkspaces, { pageSize: 2 });
  if (data === undefined && error === null) {
    return (
      <Center p="xl">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  const [only, ...others] = data?.workspaces ?? [];
  if (kind === 'member' && only !== undefined && others.length === 0) {
    return (
      <Navigate to="/workspaces/$workspaceId/documents" params={{ workspaceId: only.id }} replace />
    );
  }
  return <Navigate to="/workspaces" replace />;
}

export function WorkspaceRedirect() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/' });
  return <Navigate to="/workspaces/$workspaceId/documents" params={{ workspaceId }} replace />;
}
