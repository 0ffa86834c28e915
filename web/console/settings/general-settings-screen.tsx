import { useQuery } from '@connectrpc/connect-query';
import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { historyFacts } from '../shared/creation.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { Facts } from '../shared/facts.tsx';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { BrandSection } from './brand-section.tsx';
import { DeleteWorkspaceSection } from './delete-workspace-section.tsx';
import { LinkDefaultsSection } from './link-defaults-section.tsx';
import { SecondFactorSection } from './second-factor-section.tsx';

export function GeneralSettingsScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/settings/general' });
  const mayWrite = useHasScope()('workspaces:write');
  const { open } = useDialogs();
  const query = useQuery(WorkspaceService.method.getWorkspace, { workspaceId });
  const workspace = query.data?.workspace;
  const update = useMethod(WorkspaceService.method.updateWorkspace);
  const canRename = mayWrite && workspace !== undefined;
  const rename = () =>
    open(
      <RenameDialog
        noun="workspace"
        name={workspace?.name ?? ''}
        submit={(name) =>
          update({ workspaceId, etag: workspace?.etag ?? '', ...withMask({ name }) })
        }
      />,
    );
  return (
    <Screen
      about="The name, the brand, the link defaults and the sign-in of the workspace."
      actions={canRename ? <Button onClick={rename}>Rename</Button> : undefined}
    >
      <QueryResult value={workspace} query={query} label="workspace">
        {(found) => (
          <>
            <WorkspaceFacts {...found} />
            {mayWrite ? <BrandSection workspace={found} /> : null}
            {mayWrite ? <LinkDefaultsSection workspace={found} /> : null}
            {mayWrite ? <SecondFactorSection workspace={found} /> : null}
            {mayWrite ? <DeleteWorkspaceSection workspace={found} /> : null}
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

function WorkspaceFacts(workspace: Workspace) {
  const { id, name } = workspace;
  return (
    <Facts
      facts={[
        { name: 'Name', value: name },
        { name: 'Workspace ID', value: <CopyableText text={id} label="workspace ID" /> },
        ...historyFacts(workspace),
      ]}
    />
  );
}
