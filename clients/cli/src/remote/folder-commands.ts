// The commands for folders.
import { groupOf } from './call-command.ts';
import type { FieldOption } from './call-spec.ts';
import { etagField, nameField } from './common-fields.ts';

const folder = { folder_id: 'The id of the folder.' };
const isInWorkspace = true;

export const folderField: FieldOption = {
  value: 'id',
  about: 'The folder that contains it; an empty text for the top level.',
};

export const folders = groupOf('folders', 'Manages folders of documents.', [
  {
    name: 'list',
    about: 'Lists the folders.',
    method: 'folder.listFolders',
    fields: { parent_id: { ...folderField, about: 'Only folders that this folder contains.' } },
    columns: ['id', 'name', { path: 'parent_id', title: 'Parent' }, 'link_count', 'create_time'],
    isInWorkspace,
  },
  {
    name: 'get',
    about: 'Shows a folder.',
    method: 'folder.getFolder',
    args: folder,
    isInWorkspace,
  },
  {
    name: 'create',
    about: 'Creates a folder.',
    method: 'folder.createFolder',
    isCreating: true,
    args: { name: 'The name.' },
    fields: { parent_id: folderField },
    examples: ['folders create "Due diligence"', 'folders create Contracts --parent fld_…'],
    isInWorkspace,
  },
  {
    name: 'update',
    about: 'Renames a folder, or moves it with its content.',
    method: 'folder.updateFolder',
    args: folder,
    fields: { name: nameField, parent_id: folderField, ...etagField },
    isInWorkspace,
  },
  {
    name: 'delete',
    about: 'Deletes an empty folder, and revokes its links.',
    method: 'folder.deleteFolder',
    args: folder,
    isInWorkspace,
  },
]);
