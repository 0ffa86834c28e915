/** The menu of a document or a folder. */
import { IconFolderSymlink, IconPencil, IconTrash } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy } from 'react';
import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { type Entry, isFolder, parentIdOf } from '../folders/entries.ts';
import { lossOfAccess } from '../links/link-state.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { ActionMenu, type RowAction } from '../shared/lists/row-menu.tsx';
import { useResourcePath } from '../shared/screens.ts';
import { useMethod } from '../shared/use-method.ts';

/** The dialogs load when they are opened, to keep the first load small. */
const RenameEntryDialog = lazy(() => import('./rename-entry-dialog.tsx'));
const MoveEntryDialog = lazy(() => import('./move-entry-dialog.tsx'));

/** `isOwnPage`: whether the page of the entry is left after its deletion. */
export function useEntryActions(isOwnPage = false): (entry: Entry) => RowAction[] {
  const { open, confirm } = useDialogs();
  const navigate = useNavigate();
  const pathOf = useResourcePath();
  const deleteDocument = useMethod(DocumentService.method.deleteDocument);
  const deleteFolder = useMethod(FolderService.method.deleteFolder);
  function remove(entry: Entry) {
    const { id, workspaceId, name } = entry;
    confirm({
      title: `Delete “${isolateName(name)}”?`,
      consequence: isFolder(entry) ? folderConsequence : documentConsequence,
      label: 'Delete',
      done: isFolder(entry) ? 'Folder deleted' : 'Document deleted',
      run: async () => {
        if (isFolder(entry)) await deleteFolder({ folderId: id, workspaceId });
        else await deleteDocument({ documentId: id, workspaceId });
        const above = pathOf(parentIdOf(entry) || workspaceId, workspaceId);
        if (isOwnPage && above !== undefined) await navigate({ to: above });
      },
    });
  }
  return (entry) => [
    {
      label: 'Rename',
      icon: IconPencil,
      run: () => open(<RenameEntryDialog entry={entry} />),
    },
    {
      label: 'Move',
      icon: IconFolderSymlink,
      run: () => open(<MoveEntryDialog entry={entry} />),
    },
    { label: 'Delete', icon: IconTrash, run: () => remove(entry) },
  ];
}

const documentConsequence =
  `All its links stop working ${lossOfAccess}. The file and its view history are deleted ` +
  'permanently. You can’t undo this.';

const folderConsequence =
  'Only an empty folder can be deleted. All its links stop working at once. The links and their ' +
  'views stay in the lists. You can’t undo this.';

type EntryMenuProps = {
  readonly entry: Entry;
  /** Actions that need no permission to change the entry. */
  readonly others?: readonly RowAction[];
};

/** On the page of the entry. */
export function EntryMenu({ entry, others = [] }: EntryMenuProps) {
  const mayWrite = useHasScope()('documents:write');
  const actionsFor = useEntryActions(true);
  const actions = [...others, ...(mayWrite ? actionsFor(entry) : [])];
  return <ActionMenu name={`“${entry.name}”`} actions={actions} />;
}
