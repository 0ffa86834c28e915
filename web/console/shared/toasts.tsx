/** Short messages about finished actions. */
import { CloseButton, Paper, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useSyncExternalStore } from 'react';
import { Listeners } from './listeners.ts';
import classes from './toasts.module.css';

type Toast = { readonly key: number; readonly text: string };

const shownMs = 5_000;
const shownMax = 3;

const listeners = new Listeners();
let toasts: readonly Toast[] = [];
let lastKey = 0;

function become(next: readonly Toast[]): void {
  toasts = next;
  listeners.notify();
}

/** Shows a message for some seconds. */
export function showToast(text: string): void {
  lastKey += 1;
  become([...toasts, { key: lastKey, text }].slice(-shownMax));
}

/** The messages, which screen readers announce. Render it once. */
export function Toasts() {
  const shown = useSyncExternalStore(listeners.subscribe, () => toasts);
  // The next user must not see them.
  useEffect(() => () => become([]), []);
  return (
    <div className={classes.toasts} role="status">
      {shown.map(({ key, text }) => (
        <ShownToast key={key} text={text} close={() => become(without(key))} />
      ))}
    </div>
  );
}

const without = (key: number) => toasts.filter((toast) => toast.key !== key);

type ShownToastProps = { readonly text: string; readonly close: () => void };

function ShownToast({ text, close }: ShownToastProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time starts once
  useEffect(() => {
    const timer = setTimeout(close, shownMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Paper withBorder shadow="md" px="sm" py={6} className={classes.toast ?? ''}>
      <IconCircleCheck size={18} aria-hidden className={classes.icon} />
      <Text size="sm">{text}</Text>
      <CloseButton size="sm" aria-label="Close the message" onClick={close} />
    </Paper>
  );
}
