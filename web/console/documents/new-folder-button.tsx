import { Button } from '@mantine/core';
import { IconFolderPlus } from '@tabler/icons-react';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { NameDialog } from '../shared/name-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';

type NewFolderProps = {
  readonly workspaceId: string;
  /** The folder that contains the new one; empty for the top level. */
  readonly parentId?: string;
};

export function NewFolderButton(place: NewFolderProps) {
  const { open } = useDialogs();
  return (
    <Button
      variant="default"
      leftSection={<IconFolderPlus size={16} />}
      onClick={() => open(<NewFolderDialog {...place} />)}
    >
      New folder
    </Button>
  );
}

function NewFolderDialog(place: NewFolderProps) {
  const create = useMethod(FolderService.method.createFolder);
  return (
    <NameDialog
      title="New folder"
      label="Create folder"
      done="Folder created"
      submit={(name) => create({ ...place, name })}
    />
  );
}
