/** The command palette: goes to screens and documents, creates and copies. */
import { Spotlight, type SpotlightActionProps, spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { matchesCommand, type PaletteCommand, useCommands } from './commands.ts';
import { useFoundDocuments } from './found-documents.ts';
import classes from './palette.module.css';

type PaletteProps = {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly workspaceId: string | undefined;
  /** The text that the user typed before the search field had the focus. */
  readonly early: string;
  /** Called when the search field has the focus. */
  readonly onReady: () => void;
};

export default function Palette({ isOpen, close, ...content }: PaletteProps) {
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (isOpen) spotlight.open();
  }, [isOpen]);
  return (
    <Spotlight.Root
      shortcut={null}
      onSpotlightClose={close}
      query={query}
      onQueryChange={setQuery}
      scrollable
      maxHeight={420}
      transitionProps={{ duration: 0 }}
      title="Search or go to"
      classNames={{ header: classes.title, actionsGroup: classes.group }}
      overlayProps={{ blur: 0 }}
    >
      {isOpen ? <Content {...content} query={query} /> : null}
    </Spotlight.Root>
  );
}

type ContentProps = Omit<PaletteProps, 'isOpen' | 'close'> & {
  readonly query: string;
};

function Content({ workspaceId, early, onReady, query }: ContentProps) {
  const commands = useCommands(workspaceId).filter((command) => matchesCommand(command, query));
  const documents = useFoundDocuments(workspaceId, query);
  const all = [...commands, ...documents];
  const groups = [...new Set(all.map(({ group }) => group))];
  return (
    <>
      <Spotlight.Search
        placeholder="Search documents, go to a page, create or copy"
        aria-label="Search or go to"
        onFocus={({ currentTarget: field }) => {
          onReady();
          // As if it was typed, so that the first action is selected.
          field.setRangeText(early);
          field.dispatchEvent(new InputEvent('input', { bubbles: true }));
        }}
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList className={classes.list}>
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group} label={group}>
            {all
              .filter((command) => command.group === group)
              .map((command) => (
                <Spotlight.Action key={command.id} {...actionProps(command)} />
              ))}
          </Spotlight.ActionsGroup>
        ))}
        {all.length === 0 ? <Spotlight.Empty>No results</Spotlight.Empty> : null}
      </Spotlight.ActionsList>
    </>
  );
}

function actionProps({ label, icon: CommandIcon, run }: PaletteCommand): SpotlightActionProps {
  return {
    label,
    leftSection: <CommandIcon size={18} stroke={1.75} aria-hidden />,
    onClick: run,
  };
}
