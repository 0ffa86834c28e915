import { Button, type ButtonProps } from '@mantine/core';
import { IconShare3 } from '@tabler/icons-react';
import { lazy } from 'react';
import { useHasScope } from '../../session/session-context.tsx';
import { useDialogs } from '../../shared/dialogs.tsx';
import type { ShareTarget } from './share-target.ts';

/** Loads when it is opened, to keep the first load small. */
export const LazyShareDialog = lazy(() => import('./share-dialog.tsx'));

export type ShareButtonProps = Pick<ButtonProps, 'variant' | 'size' | 'flex'> & {
  readonly target: ShareTarget;
  /** Whether the label alone does not say what it shares, as in a table. */
  readonly isOneOfMany?: boolean;
};

/** Hidden from users who cannot create links. */
export function ShareButton({ target, isOneOfMany = false, ...buttonProps }: ShareButtonProps) {
  const { open } = useDialogs();
  if (!useHasScope()('links:write')) return null;
  return (
    <Button
      leftSection={<IconShare3 size={16} />}
      {...buttonProps}
      {...(isOneOfMany ? { 'aria-label': `Share “${target.name}”` } : {})}
      onClick={() => open(<LazyShareDialog workspaceId={target.workspaceId} target={target} />)}
    >
      Share
    </Button>
  );
}
