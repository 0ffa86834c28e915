import { useQuery } from '@connectrpc/connect-query';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { type Workspace, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useAct } from '../parts/act.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Facts } from '../parts/facts.tsx';
import { RenameDialog } from '../parts/name-dialog.tsx';
import { One } from '../parts/one.tsx';
import { Page } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';

export function GeneralPage() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/settings/general' });
  const mayWrite = useHasScope()('workspaces:write');
  const [isOpen, { open, close }] = useDisclosure(false);
  const query = useQuery(WorkspaceService.method.getWorkspace, { workspaceId });
  const workspace = query.data?.workspace;
  const update = useAct(WorkspaceService.method.updateWorkspace);
  const canRename = mayWrite && workspace !== undefined;
  return (
    <Page
      title="General"
      about="What the workspace is called, and the id by which programs know it."
      actions={canRename ? <Button onClick={open}>Rename</Button> : undefined}
    >
      <One value={workspace} query={query} label="workspace">
        {(found) => <Known {...found} />}
      </One>
      {workspace === undefined ? null : (
        <RenameDialog
          noun="workspace"
          name={workspace.name}
          isOpen={isOpen}
          close={close}
          submit={(name) => update({ workspaceId, name, updateMask: { paths: ['name'] } })}
        />
      )}
    </Page>
  );
}

function Known({ id, name, createTime }: Workspace) {
  return (
    <Facts
      facts={[
        { name: 'Name', value: name },
        { name: 'Workspace id', value: <Copyable text={id} label="workspace id" /> },
        { name: 'Created', value: <When time={createTime} /> },
      ]}
    />
  );
}
