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
};

export default function Palette({ isOpen, close, workspaceId }: PaletteProps) {
  useEffect(() => {
    if (isOpen) spotlight.open();
  }, [isOpen]);
  return (
    <Spotlight.Root
      shortcut={null}
      onSpotlightClose={close}
      scrollable
      maxHeight={420}
      transitionProps={{ duration: 0 }}
      title="Search or go to"
      classNames={{ header: classes.title, actionsGroup: classes.group }}
      overlayProps={{ blur: 0 }}
    >
      {isOpen ? <Content workspaceId={workspaceId} /> : null}
    </Spotlight.Root>
  );
}

function Content({ workspaceId }: Pick<PaletteProps, 'workspaceId'>) {
  const [query, setQuery] = useState('');
  const commands = useCommands(workspaceId).filter((command) => matchesCommand(command, query));
  const documents = useFoundDocuments(workspaceId, query);
  const all = [...commands, ...documents];
  const groups = [...new Set(all.map(({ group }) => group))];
  return (
    <>
      <Spotlight.Search
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        placeholder="Search documents, go to a page, create or copy"
        aria-label="Search or go to"
        leftSection={<IconSearch size={18} aria-hidden />}
      />
      <Spotlight.ActionsList>
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
