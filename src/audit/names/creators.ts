// Adds the names of their creators to resources, for the caller of a method.
import type { HandlerContext } from '@connectrpc/connect';
import { principalOf } from '../../api/principal.ts';
import type { Database } from '../../storage/schema.ts';
import { findNames } from './names.ts';

type Created = { readonly creator: string };
type Named<T> = T & { readonly creatorName: string };

/** At most 200 resources. `workspaceId` is the workspace that owns all of them. */
export async function nameCreators<T extends Created>(
  db: Database,
  context: HandlerContext,
  resources: readonly T[],
  workspaceId?: string,
): Promise<Named<T>[]> {
  const ids = resources.map(({ creator }) => creator);
  const names = await findNames(db, principalOf(context), ids, workspaceId);
  return resources.map((one) => ({ ...one, creatorName: names.get(one.creator)?.name ?? '' }));
}

export async function nameCreator<T extends Created>(
  db: Database,
  context: HandlerContext,
  resource: T,
  workspaceId?: string,
): Promise<Named<T>> {
  const [named] = await nameCreators(db, context, [resource], workspaceId);
  return named ?? { ...resource, creatorName: '' };
}
