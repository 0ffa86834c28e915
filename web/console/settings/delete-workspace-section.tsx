import { Group, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { DeleteButton } from '../shared/delete-button.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';

/** The service refuses members who are not owners. */
export function DeleteWorkspaceSection({ workspace }: { readonly workspace: Workspace }) {
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
