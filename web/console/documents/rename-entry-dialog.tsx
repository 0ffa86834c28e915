import { type Entry, isFolder } from '../folders/entries.ts';
import { RenameDialog } from '../shared/name-dialog.tsx';
import { useUpdateEntry } from './use-update-entry.ts';

export default function RenameEntryDialog({ entry }: { readonly entry: Entry }) {
  const update = useUpdateEntry(entry);
  return (
    <RenameDialog
      noun={isFolder(entry) ? 'folder' : 'document'}
      name={entry.name}
      done={isFolder(entry) ? 'Folder renamed' : 'Document renamed'}
      submit={(name) => update({ name })}
    />
  );
}
