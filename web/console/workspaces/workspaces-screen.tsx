import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useSignIn, useUser } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { NameDialog } from '../shared/name-dialog.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';

const columns: readonly Column<Workspace>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <TextLink to="/workspaces/$workspaceId/documents" params={{ workspaceId: id }}>
        {name}
      </TextLink>
    ),
  },
  { title: 'Workspace id', cell: ({ id }) => <span className="mono">{id}</span> },
  { title: 'Created', cell: ({ createTime }) => <DateTime time={createTime} /> },
];

export function WorkspacesScreen() {
  const { kind } = useUser();
  const hasScope = useHasScope();
  const [isOpen, { open, close }] = useDisclosure(false);
  const mayCreate = kind === 'staff' && hasScope('workspaces:write');
  // Roles give members all that they may do: whoever has none may not even ask.
  const isInNone = kind === 'member' && !hasScope('workspaces:read');
  const list = usePagedList(WorkspaceService.method.listWorkspaces, {}, (page) => page.workspaces, {
    enabled: !isInNone,
  });
  const lookAgain = useLookAgain(isInNone);
  const button = mayCreate ? <Button onClick={open}>Create workspace</Button> : undefined;
  return (
    <Screen
      title="Workspaces"
      about="A workspace owns documents, the links to them, and API keys."
      actions={button}
    >
      <Listing
        label="Workspaces"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          mayCreate
            ? { title: 'No workspaces yet', text: 'Create the first one to share documents.' }
            : {
                title: 'You are in no workspace yet',
                text: 'Ask an admin of a workspace, or the platform’s staff, to take you in.',
                action: (
                  <Button variant="default" onClick={lookAgain}>
                    Look again
                  </Button>
                ),
              }
        }
      />
      <CreateWorkspace isOpen={isOpen} close={close} />
    </Screen>
  );
}

/** What one may do stands in one's token: a new one tells whether one has been taken in. */
function useLookAgain(isInNone: boolean): () => void {
  const { session } = useSignIn();
  const query = useQuery({
    queryKey: ['permissions', session.userId],
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

function CreateWorkspace({ isOpen, close }: Dialog) {
  const create = useMethod(WorkspaceService.method.createWorkspace);
  const navigate = useNavigate();
  return (
    <NameDialog
      title="Create a workspace"
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
