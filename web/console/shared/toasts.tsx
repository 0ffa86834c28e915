/** Short messages about finished actions. */
import { Button, CloseButton, Paper, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Listeners } from './listeners.ts';
import classes from './toasts.module.css';

type ToastAction = { readonly label: string; readonly run: () => void };

type Toast = {
  readonly key: number;
  readonly text: string;
  readonly action: ToastAction | undefined;
};

const shownMs = 5_000;

/** Time to reach the button. */
const shownWithActionMs = 20_000;

const shownMax = 3;

const listeners = new Listeners();
let toasts: readonly Toast[] = [];
let lastKey = 0;

function become(next: readonly Toast[]): void {
  toasts = next;
  listeners.notify();
}

/** Shows a message for some seconds, with a button for an action such as `Undo`. */
export function showToast(text: string, action?: ToastAction): void {
  lastKey += 1;
  become([...toasts, { key: lastKey, text, action }].slice(-shownMax));
}

/** The messages, which screen readers announce. Render it once. */
export function Toasts() {
  const shown = useSyncExternalStore(listeners.subscribe, () => toasts);
  // The next user must not see them.
  useEffect(() => () => become([]), []);
  return (
    <div className={classes.toasts} role="status">
      {shown.map(({ key, ...toast }) => (
        <ShownToast key={key} {...toast} close={() => become(without(key))} />
      ))}
    </div>
  );
}

const without = (key: number) => toasts.filter((toast) => toast.key !== key);

type ShownToastProps = Omit<Toast, 'key'> & { readonly close: () => void };

function ShownToast({ text, action, close }: ShownToastProps) {
  // It stays while the pointer or the focus is on it.
  const [isHeld, setHeld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is new each time
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(close, action === undefined ? shownMs : shownWithActionMs);
    return () => clearTimeout(timer);
  }, [isHeld]);
  const [hold, release] = [() => setHeld(true), () => setHeld(false)];
  return (
    <Paper
      {...{ withBorder: true, shadow: 'md', px: 'sm', py: 6, className: classes.toast ?? '' }}
      {...{ onFocus: hold, onBlur: release, onMouseEnter: hold, onMouseLeave: release }}
    >
      <IconCircleCheck size={18} aria-hidden className={classes.icon} />
      <Text size="sm">{text}</Text>
      {action === undefined ? null : (
        <Button
          variant="light"
          size="compact-sm"
          onClick={() => {
            close();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <CloseButton size="sm" aria-label="Close the message" onClick={close} />
    </Paper>
  );
}
