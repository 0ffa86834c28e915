import { useQuery } from '@connectrpc/connect-query';
import { Radio, ScrollArea, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { FolderService } from '../../../gen/latchkey/sharing/v1/folder_pb.js';
import { type Entry, parentIdOf } from '../folders/entries.ts';
import { EntryTree } from '../folders/entry-tree.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useUpdateEntry } from './use-update-entry.ts';

/** Chooses a folder, or the top level. */
export default function MoveEntryDialog({ entry }: { readonly entry: Entry }) {
  const { workspaceId, id, name } = entry;
  const update = useUpdateEntry(entry);
  const folderId = parentIdOf(entry);
  const form = useForm({ initialValues: { parentId: folderId } });
  const { data } = useQuery(
    FolderService.method.getFolder,
    { workspaceId, folderId },
    { enabled: folderId !== '' },
  );
  const above = data?.folder?.ancestors.map((folder) => folder.id);
  return (
    <FormDialog
      title={`Move “${isolateName(name)}”`}
      label="Move"
      done={`Moved “${name}”`}
      form={form}
      submit={async ({ parentId }) => {
        if (parentId !== folderId) await update({ parentId });
      }}
    >
      <Text size="sm">
        A link to a folder shows what the folder contains now. Readers of such a link lose what you
        move out of its folder, and see what you move into it.
      </Text>
      <Radio.Group label="Folder" {...form.getInputProps('parentId')}>
        <ScrollArea.Autosize mah="50vh" type="auto">
          <Stack gap={0} pt="xs">
            <Radio value="" label="Top level" py={8} />
            <EntryTree
              workspaceId={workspaceId}
              parentId=""
              openIds={new Set(above)}
              closedId={id}
              row={(folder) => (
                <Radio value={folder.id} label={folder.name} disabled={folder.id === id} />
              )}
            />
          </Stack>
        </ScrollArea.Autosize>
      </Radio.Group>
    </FormDialog>
  );
}
