/** The screens of a workspace. */
import { useQuery } from '@connectrpc/connect-query';
import { Outlet, useParams } from '@tanstack/react-router';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { reasonOf } from '../session/error-details.ts';
import { NotFoundScreen } from './error-screens.tsx';

export function WorkspaceOutlet() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId' });
  // The workspace switcher shows the name from the same query.
  const { error } = useQuery(WorkspaceService.method.getWorkspace, { workspaceId });
  return reasonOf(error) === 'not_found' ? <NotFoundScreen /> : <Outlet />;
}
