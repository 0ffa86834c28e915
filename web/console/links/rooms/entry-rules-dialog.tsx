import { Button, Group, NativeSelect, ScrollArea, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFileText, IconFolder } from '@tabler/icons-react';
import { type Link, LinkService } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { type Entry, isFolder } from '../../folders/entries.ts';
import { EntryTree } from '../../folders/entry-tree.tsx';
import { FormDialog } from '../../shared/form-dialog.tsx';
import { withMask } from '../../shared/update-mask.ts';
import { useMethod } from '../../shared/use-method.ts';
import {
  type EntryChoice,
  type EntryChoices,
  entryChoices,
  readChoices,
  writeChoices,
} from './entry-rules.ts';

/** Hides entries of a room, or changes whether readers may download them. */
export default function EntryRulesDialog({ link }: { readonly link: Link }) {
  const { workspaceId, id: linkId, etag, folderId, entryRules, allowDownload } = link;
  const update = useMethod(LinkService.method.updateLink);
  const form = useForm<{ entryRules: EntryChoices }>({
    initialValues: { entryRules: readChoices(entryRules) },
  });
  const choices = form.values.entryRules;
  const choose = (id: string, choice: EntryChoice) =>
    form.setFieldValue('entryRules', { ...choices, [id]: choice });
  return (
    <FormDialog
      title="Rules for readers"
      label="Save"
      done="Link saved"
      form={form}
      submit={(values) => {
        const change = withMask({ entryRules: writeChoices(values.entryRules) });
        return update({ workspaceId, linkId, etag, ...change });
      }}
    >
      <Text size="sm">
        {allowDownload
          ? 'Readers may download everything, except what you change here.'
          : 'Readers may only view the documents, except what you change here.'}{' '}
        A folder decides for everything in it. Changes apply at once.
      </Text>
      <ScrollArea.Autosize mah="50vh" type="auto">
        <EntryTree
          workspaceId={workspaceId}
          parentId={folderId}
          hasDocuments
          row={(entry) => (
            <EntryRow
              entry={entry}
              choice={choices[entry.id] ?? ''}
              choose={(choice) => choose(entry.id, choice)}
            />
          )}
        />
      </ScrollArea.Autosize>
      {writeChoices(choices).length === 0 ? null : (
        <Group>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => form.setFieldValue('entryRules', {})}
          >
            Remove all rules
          </Button>
        </Group>
      )}
    </FormDialog>
  );
}

type EntryRowProps = {
  readonly entry: Entry;
  readonly choice: EntryChoice;
  readonly choose: (choice: EntryChoice) => void;
};

function EntryRow({ entry, choice, choose }: EntryRowProps) {
  const Picture = isFolder(entry) ? IconFolder : IconFileText;
  return (
    <Group gap={6} wrap="nowrap">
      <Picture size={16} aria-hidden style={{ flex: 'none' }} />
      <Text size="sm" flex={1} truncate title={entry.name}>
        <bdi>{entry.name}</bdi>
      </Text>
      <NativeSelect
        size="xs"
        w={130}
        flex="none"
        aria-label={`Rule for ${entry.name}`}
        data={[...entryChoices]}
        value={choice}
        onChange={({ currentTarget: { value } }) =>
          choose(entryChoices.find((one) => one.value === value)?.value ?? '')
        }
      />
    </Group>
  );
}
