/** Declares the route of a screen, from its entry in the registry. */
import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { createQueryOptions } from '@connectrpc/connect-query';
import type { QueryClient } from '@tanstack/react-query';
import { type AnyRoute, createRoute, type RouteComponent } from '@tanstack/react-router';
import { prefetchList, type RequestedList } from '../shared/lists/define-list.ts';
import type { ScreenEntry } from '../shared/screens.ts';
import { lazy } from './lazy.ts';

export type RouterContext = {
  readonly transport: Transport;
  readonly isSignedIn: () => boolean;
  /** The data of the signed-in user. */
  readonly queries: QueryClient;
};

/** Its `reads` are requested with the parameters of the address, as soon as its code is loaded. */
type ScreenComponent = RouteComponent & {
  readonly reads?: readonly (DescMethodUnary | RequestedList)[];
};

type ScreenFile<Name extends string> = { readonly [N in Name]: ScreenComponent };

type Values = Readonly<Record<string, string | undefined>>;

type LoaderContext = {
  readonly context: RouterContext;
  readonly params: Values;
  readonly location: { readonly search: object };
};

type Searched<Search extends string> = {
  /** The parameters of the address that filter the screen. */
  readonly search?: readonly Search[];
};

/** Returns a function that declares a screen: its path, its file, its component and its entry. */
export const screensBelow =
  <Parent extends AnyRoute>(parent: Parent) =>
  <const Path extends string, Name extends string, const Search extends string = never>(
    path: Path,
    load: () => Promise<ScreenFile<Name>>,
    name: Name,
    { search = [], ...screen }: ScreenEntry & Searched<Search>,
  ) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      ...optionsOf(load, name, search),
      staticData: { screen },
    });

/** The same for the parts of a screen, which have their own addresses. */
export const tabsOf =
  <Parent extends AnyRoute>(parent: Parent) =>
  <const Path extends string, Name extends string>(
    path: Path,
    load: () => Promise<ScreenFile<Name>>,
    name: Name,
  ) =>
    createRoute({ getParentRoute: () => parent, path, ...optionsOf(load, name) });

function optionsOf<Name extends string, const Search extends string = never>(
  load: () => Promise<ScreenFile<Name>>,
  name: Name,
  search: readonly Search[] = [],
) {
  return {
    component: lazy(load as () => Promise<Record<string, RouteComponent>>, name),
    validateSearch: (raw: Record<string, unknown>) => readSearch(raw, search),
    // The type of the parameters comes from the path.
    loader: (loading: unknown) => void read(load, name, loading as LoaderContext),
  };
}

/** The router parses a number; only an explicit `undefined` removes a value. */
function readSearch<Name extends string>(
  raw: Record<string, unknown>,
  names: readonly Name[],
): { [N in Name]?: string } {
  const values = names.map((name) => {
    const value = raw[name];
    const text = typeof value === 'string' || typeof value === 'number' ? `${value}`.trim() : '';
    return [name, text === '' ? undefined : text];
  });
  return Object.fromEntries(values);
}

/** Does not wait for the answers, because the screen shows what is missing. */
async function read<Name extends string>(
  load: () => Promise<ScreenFile<Name>>,
  name: Name,
  loading: LoaderContext,
) {
  const { context, params, location } = loading;
  // The router loads again with the queries of the user who signs in.
  if (!context.isSignedIn()) return;
  const file = await load().catch(() => undefined);
  const { queries, transport } = context;
  for (const one of file?.[name].reads ?? []) {
    if ('filters' in one) prefetchList(queries, transport, one, params, location.search);
    else void queries.prefetchQuery(createQueryOptions(one, params, { transport }));
  }
}
