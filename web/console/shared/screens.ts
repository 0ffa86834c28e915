/** Finds screens for the menu, the palette, the breadcrumbs and the links. */
import type { Icon } from '@tabler/icons-react';
import { useMatch, useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useHasScope, useUser } from '../session/session-context.tsx';

export type MenuName = 'workspace' | 'settings' | 'administration' | 'user';

/** The part of a screen's entry that does not concern its route. */
export type ScreenEntry = {
  /** The name in the menu, the palette, the title and the breadcrumbs. */
  readonly label: string;
  /** Unset: the menu and the palette do not show the screen. */
  readonly menu?: MenuName;
  readonly icon?: Icon;
  /** The scope without which the screen shows nothing. */
  readonly scope?: string;
  /** Whether the screens below the path have other entries in the menu. */
  readonly isExact?: boolean;
  /** The action that creates an item, for its button and the palette. */
  readonly create?: { readonly label: string; readonly scope: string };
  /** The path of the list that the screen belongs to. Unset: found by the path of the screen. */
  readonly parent?: string;
  /** The prefix of the resources' IDs, if a link to a resource leads here. */
  readonly idPrefix?: string;
};

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    screen?: ScreenEntry;
  }
}

export type KnownScreen = ScreenEntry & {
  /** The path of the route, such as `/clients/$clientId`. */
  readonly path: string;
};

/** All screens in the order of the registry. */
function useScreens(): readonly KnownScreen[] {
  const router = useRouter();
  return useMemo(
    () =>
      Object.values(router.routesById).flatMap(({ fullPath, options }) => {
        const { screen } = options.staticData ?? {};
        return screen === undefined ? [] : [{ ...screen, path: fullPath }];
      }),
    [router],
  );
}

/** The entries of a menu that the scopes of the user allow, with their paths in the workspace. */
export function useMenu(workspaceId: string | undefined): (menu: MenuName) => KnownScreen[] {
  const screens = useScreens();
  const hasScope = useHasScope();
  const isStaff = useUser().kind === 'staff';
  return (menu) =>
    screens.flatMap((screen) => {
      const isHidden = menu === 'administration' && !isStaff;
      if (screen.menu !== menu || isHidden || !mayOpen(screen, hasScope)) return [];
      const path = pathOf(screen.path, { workspaceId });
      return path === undefined ? [] : [{ ...screen, path }];
    });
}

const mayOpen = ({ scope }: ScreenEntry, hasScope: (scope: string) => boolean) =>
  scope === undefined || hasScope(scope);

/** The screen around the component, and the list that it belongs to. */
export function useThisScreen(): { entry: ScreenEntry | undefined; parent?: KnownScreen } {
  const match = useMatch({ strict: false });
  const screens = useScreens();
  const hasScope = useHasScope();
  const path = match.fullPath as string;
  const entry = match.staticData.screen;
  // The rest of the path, such as `/$documentId` or `/folders/$folderId`, has one parameter.
  const isAbove = (screen: KnownScreen) =>
    path.startsWith(screen.path) && /^\/[^$]*\$\w+$/.test(path.slice(screen.path.length));
  const above = screens.find((screen) =>
    entry?.parent === undefined ? isAbove(screen) : screen.path === entry.parent,
  );
  if (above === undefined) return { entry };
  const to = mayOpen(above, hasScope) ? pathOf(above.path, match.params) : undefined;
  return to === undefined ? { entry } : { entry, parent: { ...above, path: to } };
}

/** Returns the path of a resource's screen if the user can open it. */
export function useResourcePath(): (id: string, workspaceId?: string) => string | undefined {
  const screens = useScreens();
  const hasScope = useHasScope();
  return (id, workspaceId) => {
    const [prefix] = id.split('_');
    const screen = screens.find(({ idPrefix }) => idPrefix === prefix);
    if (screen === undefined || !mayOpen(screen, hasScope)) return undefined;
    const own = screen.path.slice(screen.path.lastIndexOf('$') + 1).replace(/\/.*/, '');
    return pathOf(screen.path, { workspaceId, [own]: id });
  };
}

/** Fills the parameters of a path. Undefined if one is missing. */
function pathOf(
  path: string,
  params: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const parts = path.split('/').map((part) => (part[0] === '$' ? params[part.slice(1)] : part));
  return parts.includes(undefined) ? undefined : parts.join('/');
}
