/** Opens the command palette, whose code loads on first use. */
import { Text, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { LoadBoundary, NotLoadedDialog } from '../../shared/load-boundary.tsx';
import classes from './palette.module.css';

const Palette = lazy(() => import('./palette.tsx'));

const isMac = navigator.platform.startsWith('Mac');

export function PaletteButton({ workspaceId }: { readonly workspaceId: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const [isWanted, setWanted] = useState(false);
  const early = useRef('');
  const [isReady, setReady] = useState(false);
  useEarlyKeys(isOpen && !isReady, early);
  function open() {
    setWanted(true);
    setOpen(true);
  }
  function close() {
    setOpen(false);
    setReady(false);
    early.current = '';
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
        <kbd aria-hidden className={classes.keys}>
          {isMac ? '⌘K' : 'Ctrl K'}
        </kbd>
      </UnstyledButton>
      {isWanted ? (
        <LoadBoundary fallback={<NotLoadedDialog isOpen={isOpen} close={close} />}>
          <Suspense fallback={null}>
            <Palette {...{ isOpen, close, workspaceId, early }} onReady={() => setReady(true)} />
          </Suspense>
        </LoadBoundary>
      ) : null}
    </>
  );
}

/** Collects the keys that the user presses before the search field has the focus. */
function useEarlyKeys(isActive: boolean, early: RefObject<string>): void {
  useEffect(() => {
    if (!isActive) return;
    function collect(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey } = event;
      // The field has the focus, and the browser adds the key to it.
      if (ctrlKey || metaKey || altKey || event.target instanceof HTMLInputElement) return;
      const isDeleting = key === 'Backspace';
      if (!isDeleting && key.length !== 1) return;
      early.current = isDeleting ? early.current.slice(0, -1) : early.current + key;
      event.preventDefault();
    }
    window.addEventListener('keydown', collect, { capture: true });
    return () => window.removeEventListener('keydown', collect, { capture: true });
  }, [isActive, early]);
}

/** Focuses the search of the screen; returns whether there is one. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-page-search]');
  field?.focus();
  return field !== null;
}
