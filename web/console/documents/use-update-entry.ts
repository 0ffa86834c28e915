import { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { type Entry, isFolder } from '../folders/entries.ts';
import { useMethod } from '../shared/use-method.ts';

type EntryChange =
  | { readonly name: string }
  /** The folder to move it to; empty for the top level. */
  | { readonly parentId: string };

/** Renames or moves an entry. */
export function useUpdateEntry(entry: Entry): (change: EntryChange) => Promise<unknown> {
  const updateDocument = useMethod(DocumentService.method.updateDocument);
  const updateFolder = useMethod(FolderService.method.updateFolder);
  const { id, workspaceId } = entry;
  // Without the mask, an empty value would mean "no change".
  return (change) => {
    if (isFolder(entry)) {
      const paths = ['name' in change ? 'name' : 'parent_id'];
      return updateFolder({ folderId: id, workspaceId, ...change, updateMask: { paths } });
    }
    const [paths, fields] =
      'name' in change ? [['name'], change] : [['folder_id'], { folderId: change.parentId }];
    return updateDocument({ documentId: id, workspaceId, ...fields, updateMask: { paths } });
  };
}
