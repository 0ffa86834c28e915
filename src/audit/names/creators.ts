// Adds the names of their creators to resources, for the caller of a method.
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf, principalOf } from '../../api/principal.ts';
import { printableOf } from '../../base/net/printable.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { findNames, reachesOf } from './names.ts';
import { findMemberNames } from './store.ts';

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
  const names =
    workspaceId !== undefined && principalOf(context).type === 'member'
      ? await namesOfMembers(db, workspaceId, ids)
      : await findNames(db, await reachesOf(callerOf(context)), ids);
  return resources.map((one) => ({ ...one, creatorName: names.get(one.creator)?.name ?? '' }));
}

/** In their workspace, members may read the names of its members. */
async function namesOfMembers(db: Database, workspaceId: string, ids: readonly string[]) {
  const users = await findMemberNames(db, workspaceId, ids);
  return new Map(users.map(({ id, name }) => [id, { name: printableOf(name) }]));
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
