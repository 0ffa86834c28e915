import { Button } from '@mantine/core';
import { IconLayoutGrid } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useSignIn, useUser } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, isEmptyList, Listing } from '../shared/listing.tsx';
import { NameDialog } from '../shared/name-dialog.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useCreateDialog } from '../shared/use-create-dialog.ts';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';

const columns: readonly Column<Workspace>[] = [
  {
    title: 'Name',
    orderBy: 'name',
    cell: ({ id, name }) => (
      <TextLink to="/workspaces/$workspaceId/documents" params={{ workspaceId: id }}>
        {name}
      </TextLink>
    ),
  },
  {
    title: 'Workspace ID',
    cell: ({ id }) => <CopyableText text={id} label={`workspace ID ${id}`} isShort />,
  },
  {
    title: 'Created',
    orderBy: 'create_time',
    isNewestFirst: true,
    cell: ({ createTime }) => <DateTime time={createTime} />,
  },
];

export function WorkspacesScreen() {
  const { kind } = useUser();
  const hasScope = useHasScope();
  const [isOpen, { open, close }] = useCreateDialog();
  const mayCreate = kind === 'staff' && hasScope('workspaces:write');
  // Members get scopes only from roles. Without any, the API rejects the list request.
  const isInNone = kind === 'member' && !hasScope('workspaces:read');
  const list = usePagedList(WorkspaceService.method.listWorkspaces, {}, (page) => page.workspaces, {
    enabled: !isInNone,
  });
  const reloadScopes = useReloadScopes(isInNone);
  const button = mayCreate ? <Button onClick={open}>Create workspace</Button> : undefined;
  return (
    <Screen
      title="Workspaces"
      about="A workspace contains documents, links and API keys."
      actions={isEmptyList(list) ? undefined : button}
    >
      <Listing
        label="Workspaces"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          mayCreate
            ? {
                title: 'No workspaces yet',
                text: 'Create the first one to share documents.',
                icon: IconLayoutGrid,
                action: button,
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
      <CreateWorkspaceDialog isOpen={isOpen} close={close} />
    </Screen>
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

type Dialog = { readonly isOpen: boolean; readonly close: () => void };

function CreateWorkspaceDialog({ isOpen, close }: Dialog) {
  const create = useMethod(WorkspaceService.method.createWorkspace);
  const navigate = useNavigate();
  return (
    <NameDialog
      title="Create workspace"
      label="Create"
      isOpen={isOpen}
      close={close}
      submit={async (name) => {
        const { workspace } = await create({ name });
        const workspaceId = workspace?.id ?? '';
        await navigate({ to: '/workspaces/$workspaceId/documents', params: { workspaceId } });
      }}
    />
  );
}
