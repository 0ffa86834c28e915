import type { ServiceImpl } from '@connectrpc/connect';
import { ResourceKind, type SearchService } from '../../gen/latchkey/identity/v1/search_pb.js';
import type { Reach } from '../api/access/reach.ts';
import { callerOf } from '../api/principal.ts';
import { findNames, type NameAndParents, reachesOf } from '../audit/names/names.ts';
import type { ResourceKind as NamedKind } from '../audit/names/store.ts';
import type { Clock } from '../base/clock.ts';
import { isRandomText } from '../base/crypto/ids.ts';
import { invalid } from '../base/errors/errors.ts';
import { printableOf } from '../base/net/printable.ts';
import { type FoundRow, findMatches } from '../storage/queries/search.ts';
import type { Database } from '../storage/schema/schema.ts';
import { bestOf } from './ranking.ts';
import type { SearchKind } from './search-kind.ts';

export type SearchOptions = {
  readonly db: Database;
  readonly kinds: readonly SearchKind[];
  readonly now: Clock;
};

/** A search reads a range of an index for each workspace of a member. */
const workspacesMax = 50;
const pageSizes = { usual: 20, max: 50 };

type Found = FoundRow & { readonly kind: NamedKind };

export function createSearchService(options: SearchOptions): ServiceImpl<typeof SearchService> {
  const { db, kinds, now } = options;
  return {
    async search({ query, workspaceId, pageSize }, context) {
      const text = query.trim();
      // The pattern of the field counts spaces that are not ASCII as characters.
      if ([...text].length < 2) throw invalid('query', 'must have at least two characters');
      const limit = Math.min(pageSize || pageSizes.usual, pageSizes.max);
      const reaches = await reachesOf(callerOf(context));
      const groups: Found[][] = [];
      // One query at a time: a search uses one connection, and other calls run in between.
      for (const { kind, ...table } of kinds) {
        context.signal.throwIfAborted();
        const workspaceIds = workspacesOf(reaches.get(kind) ?? [], workspaceId);
        const bounds = { workspaceIds, limit, now: now() };
        const rows = await findMatches(db, table, { text, slug: slugOf(text) }, bounds);
        groups.push(rows.map((row) => ({ ...row, kind })));
      }
      const found = bestOf(groups, text, limit);
      const ids = found.flatMap((row) => [row.id, row.workspaceId]);
      const names = await findNames(db, reaches, ids);
      return { results: found.map((row) => resultMessage(row, names)) };
    },
  };
}

/** Undefined: everywhere. */
function workspacesOf(reach: Reach, named: string): readonly string[] | undefined {
  if (reach === 'everywhere') return named === '' ? undefined : [named];
  const within = named === '' ? reach : reach.filter((id) => id === named);
  return within.slice(0, workspacesMax);
}

/** The slug of a shared link, alone or in a URL. */
function slugOf(text: string): string {
  const [, slug = text] = /\/s\/([0-9A-Za-z]+)/.exec(text) ?? [];
  return isRandomText(slug) ? slug : '';
}

const messageKinds: Record<NamedKind, ResourceKind> = {
  client: ResourceKind.CLIENT,
  client_secret: ResourceKind.CLIENT_SECRET,
  customer: ResourceKind.CUSTOMER,
  customer_key: ResourceKind.CUSTOMER_API_KEY,
  account: ResourceKind.ACCOUNT,
  user: ResourceKind.USER,
  audience: ResourceKind.AUDIENCE,
  trusted_issuer: ResourceKind.TRUSTED_ISSUER,
  identity_provider: ResourceKind.IDENTITY_PROVIDER,
  signing_key: ResourceKind.SIGNING_KEY,
  workspace: ResourceKind.WORKSPACE,
  invitation: ResourceKind.INVITATION,
  workspace_key: ResourceKind.WORKSPACE_API_KEY,
  document: ResourceKind.DOCUMENT,
  folder: ResourceKind.FOLDER,
  link: ResourceKind.LINK,
  visitor: ResourceKind.VISITOR,
  client_key: ResourceKind.CLIENT_KEY,
  federated_identity: ResourceKind.FEDERATED_IDENTITY,
  domain: ResourceKind.DOMAIN,
  passkey: ResourceKind.PASSKEY,
  user_identity: ResourceKind.USER_IDENTITY,
  session: ResourceKind.SESSION,
};

function resultMessage(found: Found, names: ReadonlyMap<string, NameAndParents>) {
  const { id, kind, workspaceId } = found;
  const texts = found.texts.map(printableOf);
  const known = names.get(id);
  // An account has no name, but a client can have the same id.
  const name = kind === 'account' ? id : (known?.name ?? texts[0] ?? '');
  const workspaceName = names.get(workspaceId)?.name ?? '';
  const isOwned = workspaceId !== '' && workspaceId !== id;
  const owner = isOwned ? [{ id: workspaceId, name: workspaceName }] : [];
  return {
    id,
    kind: messageKinds[kind],
    name,
    detail: texts.slice(1).find((text) => text !== name) ?? '',
    parents: [...(known?.parents ?? owner)],
    workspaceId: isOwned ? workspaceId : '',
  };
}
