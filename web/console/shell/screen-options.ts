/** The options of a screen's route, from its entry in the registry. */
import type { DescMethodUnary } from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { createQueryOptions } from '@connectrpc/connect-query';
import type { QueryClient } from '@tanstack/react-query';
import type { RouteComponent } from '@tanstack/react-router';
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

/** `search` names the parameters of the address that filter the screen. */
export function screenOptions<Name extends string, const Search extends string = never>(
  load: () => Promise<ScreenFile<Name>>,
  name: Name,
  screen: ScreenEntry,
  search: readonly Search[] = [],
) {
  return { ...tabOptions(load, name, search), staticData: { screen } };
}

/** The options of a part of a screen that has its own route. */
export function tabOptions<Name extends string, const Search extends string = never>(
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
