import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useAct } from '../parts/act.ts';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { NameDialog } from '../parts/name-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { When } from '../parts/when.tsx';
import { useHasScope, useSignIn, useUser } from '../session/context.tsx';

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
  { title: 'Created', cell: ({ createTime }) => <When time={createTime} /> },
];

export function WorkspacesPage() {
  const { kind } = useUser();
  const hasScope = useHasScope();
  const [isOpen, { open, close }] = useDisclosure(false);
  const mayCreate = kind === 'staff' && hasScope('workspaces:write');
  // Roles give members all that they may do: whoever has none may not even ask.
  const isInNone = kind === 'member' && !hasScope('workspaces:read');
  const list = usePaged(WorkspaceService.method.listWorkspaces, {}, (page) => page.workspaces, {
    enabled: !isInNone,
  });
  const lookAgain = useLookAgain(isInNone);
  const button = mayCreate ? <Button onClick={open}>Create workspace</Button> : undefined;
  return (
    <Page
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
    </Page>
  );
}

/** What one may do stands in one's token: a new one tells whether one has been taken in. */
function useLookAgain(isInNone: boolean): () => void {
  const { session } = useSignIn();
  const query = useQuery({
    queryKey: ['standing', session.userId],
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
  const create = useAct(WorkspaceService.method.createWorkspace);
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
