import { useQuery } from '@connectrpc/connect-query';
import { Button, Group, Text } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { historyFacts } from '../shared/creation.tsx';
import { DeleteButton } from '../shared/delete-button.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { Facts } from '../shared/facts.tsx';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { Section } from '../shared/section.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import { BrandSection } from './brand-section.tsx';
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

/** The service refuses members who are not owners. */
function DeleteWorkspaceSection({ workspace }: { readonly workspace: Workspace }) {
  const remove = useMethod(WorkspaceService.method.deleteWorkspace);
  const undelete = useMethod(WorkspaceService.method.undeleteWorkspace);
  const navigate = useNavigate();
  const { id: workspaceId, name } = workspace;
  return (
    <Section title="Delete the workspace">
      <Text size="sm" c="dimmed" maw="60ch">
        Owners and staff can delete the workspace. All its links and API keys stop working
        immediately. For 7 days, they can restore it in the list of workspaces.
      </Text>
      <Group>
        <DeleteButton
          noun="workspace"
          label="Delete workspace"
          name={name}
          effect="All its links and API keys stop working immediately, and its members lose access."
          loss="After that, its documents, links, views and agreements are deleted for good."
          remove={() => remove({ workspaceId })}
          restore={() => undelete({ workspaceId })}
          leave={() => navigate({ to: '/workspaces' })}
        />
      </Group>
    </Section>
  );
}
