/** The folders of a workspace as a tree. A folder loads its entries when it opens. */
import { ActionIcon, Text } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { LoadMore } from '../shared/lists/load-more.tsx';
import { type Entry, isFolder, useDocumentsOf, useFolders, useFoldersFirst } from './entries.ts';
import classes from './entry-tree.module.css';

export type EntryTreeProps = {
  readonly workspaceId: string;
  /** The folder whose entries it shows; empty for the top level. */
  readonly parentId: string;
  readonly hasDocuments?: boolean;
  /** The folders that are open at first. */
  readonly openIds?: ReadonlySet<string>;
  /** A folder that cannot open. */
  readonly closedId?: string;
  readonly row: (entry: Entry) => ReactNode;
};

export function EntryTree(props: EntryTreeProps) {
  const { workspaceId, parentId, hasDocuments = false, row } = props;
  const list = useFoldersFirst(
    useFolders({ workspaceId, parentId }),
    useDocumentsOf(workspaceId, parentId, hasDocuments),
  );
  if (list.error !== null) return <ErrorAlert error={list.error} retry={list.reload} />;
  if (list.rows?.length === 0) {
    return (
      <Text size="sm" c="dimmed" pl={28}>
        {hasDocuments ? 'Empty' : 'No folders'}
      </Text>
    );
  }
  return (
    <ul className={classes.tree}>
      {list.rows?.map((entry) => (
        <li key={entry.id}>
          {isFolder(entry) ? (
            <Branch {...props} entry={entry} />
          ) : (
            <div className={classes.leaf}>{row(entry)}</div>
          )}
        </li>
      ))}
      {list.hasMore ? (
        <li>
          <LoadMore list={list} />
        </li>
      ) : null}
    </ul>
  );
}

function Branch({ entry, ...props }: EntryTreeProps & { readonly entry: Entry }) {
  const { openIds, closedId, row } = props;
  const [wanted, setWanted] = useState<boolean>();
  const canOpen = entry.id !== closedId;
  const isOpen = canOpen && (wanted ?? openIds?.has(entry.id) ?? false);
  return (
    <>
      <div className={classes.branch}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-expanded={isOpen}
          aria-label={`Entries of ${entry.name}`}
          disabled={!canOpen}
          onClick={() => setWanted(!isOpen)}
        >
          <IconChevronRight size={16} aria-hidden className={classes.icon} />
        </ActionIcon>
        {row(entry)}
      </div>
      {isOpen ? (
        <div className={classes.within}>
          <EntryTree {...props} parentId={entry.id} />
        </div>
      ) : null}
    </>
  );
}
