/** Opens the command palette, whose code loads on first use. */
import { Kbd, Text, UnstyledButton } from '@mantine/core';
import { useHotkeys, useOs } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import classes from './palette.module.css';

const Palette = lazy(() => import('./palette.tsx'));

type PaletteButtonProps = { readonly workspaceId: string | undefined };

export function PaletteButton({ workspaceId }: PaletteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [isWanted, setWanted] = useState(false);
  const isMac = useOs() === 'macos';
  function open() {
    setWanted(true);
    setOpen(true);
  }
  const whenFree = (action: () => void) => () => {
    if (document.querySelector('[role=dialog]') === null) action();
  };
  useHotkeys([['mod+K', whenFree(open)]], []);
  useHotkeys([['/', whenFree(() => focusSearch() || open())]]);
  return (
    <>
      <UnstyledButton
        className={classes.button}
        onClick={open}
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
      >
        <IconSearch size={16} aria-hidden />
        <Text span size="sm" className={classes.text}>
          Search or go to
        </Text>
        <Kbd size="xs" aria-hidden className={classes.keys}>
          {isMac ? '⌘K' : 'Ctrl K'}
        </Kbd>
      </UnstyledButton>
      {isWanted ? (
        <Suspense fallback={null}>
          <Palette isOpen={isOpen} close={() => setOpen(false)} workspaceId={workspaceId} />
        </Suspense>
      ) : null}
    </>
  );
}

/** Focuses the search of the screen; returns whether there is one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-page-search]');
  field?.focus();
  return field !== null;
}
