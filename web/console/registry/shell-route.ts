/** The routes around all screens. */
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';
import { ShellErrorScreen } from '../shell/error-screens.tsx';
import { Root } from '../shell/root.tsx';
import type { RouterContext } from '../shell/screen-options.ts';
import { Shell } from '../shell/shell.tsx';

export const root = createRootRouteWithContext<RouterContext>()({
  component: Root,
  errorComponent: ShellErrorScreen,
});

/** The screens of signed-in users, inside the frame with the menu. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  errorComponent: ShellErrorScreen,
});
