/** The command palette: goes to screens and resources, creates and copies. */
import { Spotlight, type SpotlightActionProps, spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { IconSearch } from '@tabler/icons-react';
import { type RefObject, useEffect, useState } from 'react';
import { matchesCommand, type PaletteCommand, useCommands } from './commands.ts';
import { useFoundCommands } from './found-commands.ts';
import classes from './palette.module.css';

type PaletteProps = {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly workspaceId: string | undefined;
  /** The text that the user typed before the search field had the focus. */
  readonly early: RefObject<string>;
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
      // The search field stays where it is while the number of results changes.
      centered={false}
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
  const found = useFoundCommands(query);
  const all = [...commands, ...found.rows];
  useFirstSelected(all.length);
  const groups = [...new Set(all.map(({ group }) => group))];
  return (
    <>
      <Spotlight.Search
        placeholder="Search everything, go to a page, create or copy"
        aria-label="Search or go to"
        onFocus={({ currentTarget: field }) => {
          onReady();
          // As if it was typed, so that the first action is selected.
          // The caret follows the text: the next key may arrive before the field renders again.
          field.setRangeText(early.current, 0, 0, 'end');
          early.current = '';
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
        {all.length === 0 ? (
          <Spotlight.Empty>{found.isPending ? 'Searching…' : 'No results'}</Spotlight.Empty>
        ) : null}
      </Spotlight.ActionsList>
    </>
  );
}

/** Selects the first action if results arrive when none is left. */
function useFirstSelected(count: number): void {
  useEffect(() => {
    const field = document.activeElement;
    if (count === 0 || document.querySelector('[data-action][data-selected]') !== null) return;
    if (!(field instanceof HTMLInputElement) || field.value === '') return;
    field.dispatchEvent(
      new KeyboardEvent('keydown', { code: 'ArrowDown', key: 'ArrowDown', bubbles: true }),
    );
  }, [count]);
}

function actionProps(command: PaletteCommand): SpotlightActionProps {
  const { label, description, icon: CommandIcon, run } = command;
  return {
    label,
    ...(description === undefined ? {} : { description }),
    leftSection: <CommandIcon size={18} stroke={1.75} aria-hidden />,
    onClick: run,
  };
}
