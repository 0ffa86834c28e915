import { Button } from '@mantine/core';
import { IconLayoutGrid } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useSignIn, useUser } from '../session/session-context.tsx';
import { ActionButton } from '../shared/action-button.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { createdColumn } from '../shared/creation.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { deletedFilter, showDeleted } from '../shared/lists/deleted-filter.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { NameDialog } from '../shared/name-dialog.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { useMethod } from '../shared/use-method.ts';

const workspaces = defineList({
  label: 'Workspaces',
  method: WorkspaceService.method.listWorkspaces,
  rows: (page) => page.workspaces,
  filters: deletedFilter,
  request: showDeleted,
  columns: [
    {
      title: 'Name',
      orderBy: 'name',
      cell: ({ id, name, deleteTime }) =>
        deleteTime === undefined ? (
          <TextLink to="/workspaces/$workspaceId/documents" params={{ workspaceId: id }}>
            {name}
          </TextLink>
        ) : (
          name
        ),
    },
    {
      title: 'State',
      isPlain: true,
      cell: ({ deleteTime }) => <EnabledBadge deleteTime={deleteTime} isFull />,
    },
    {
      title: 'Workspace ID',
      cell: ({ id }) => <CopyableText text={id} label={`workspace ID ${id}`} isShort />,
    },
    createdColumn(),
    {
      title: 'Actions',
      isTitleHidden: true,
      scope: 'workspaces:write',
      cell: ({ id, deleteTime }) =>
        deleteTime === undefined ? null : <RestoreWorkspace workspaceId={id} />,
    },
  ],
});

export function WorkspacesScreen() {
  const { kind } = useUser();
  const hasScope = useHasScope();
  const mayCreate = kind === 'staff' && hasScope('workspaces:write');
  // Members get scopes only from roles. Without any, the API rejects the list request.
  const isInNone = kind === 'member' && !hasScope('workspaces:read');
  const list = useList(workspaces, {}, { enabled: !isInNone });
  const reloadScopes = useReloadScopes(isInNone);
  return (
    <ListScreen
      list={list}
      about="A workspace contains documents, links and API keys."
      create={<CreateWorkspaceDialog />}
      empty={
        mayCreate
          ? {
              title: 'No workspaces yet',
              text: 'Create the first one to share documents.',
              icon: IconLayoutGrid,
            }
          : {
              title: 'You aren’t in a workspace yet',
              text: 'Ask an admin of a workspace to add you.',
              action: (
                <Button variant="default" onClick={reloadScopes}>
                  Reload
                </Button>
              ),
            }
      }
    />
  );
}

function RestoreWorkspace({ workspaceId }: { readonly workspaceId: string }) {
  const undelete = useMethod(WorkspaceService.method.undeleteWorkspace);
  return (
    <ActionButton
      size="xs"
      variant="default"
      label="Restore"
      act={() => undelete({ workspaceId })}
    />
  );
}

/** The token contains the scopes, so only a new token shows that a workspace was added. */
function useReloadScopes(isInNone: boolean): () => void {
  const { session } = useSignIn();
  const query = useQuery({
    queryKey: ['scopes', session.userId],
    queryFn: async () => {
      await session.renew();
      return null;
    },
    enabled: isInNone,
    refetchOnWindowFocus: 'always',
    staleTime: 0,
  });
  return () => void query.refetch();
}

function CreateWorkspaceDialog() {
  const create = useMethod(WorkspaceService.method.createWorkspace);
  const navigate = useNavigate();
  return (
    <NameDialog
      title="Create workspace"
      label="Create"
      submit={async (name) => {
        const { workspace } = await create({ name });
        const workspaceId = workspace?.id ?? '';
        await navigate({ to: '/workspaces/$workspaceId/documents', params: { workspaceId } });
      }}
    />
  );
}
