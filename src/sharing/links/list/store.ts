// The list of the links of a workspace.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { containsText } from '../../../storage/queries/folded-text.ts';
import { type List, type ListPage, readList } from '../../../storage/queries/list.ts';
import type { ListQuery } from '../../../storage/queries/list-request.ts';
import type { Executor, LinkRow } from '../../../storage/schema/schema.ts';
import { hasTarget } from '../../../storage/schema/sharing-rows.ts';

/** An empty id does not filter. */
export type LinkFilter = {
  readonly workspaceId: string;
  readonly documentId: string;
  readonly folderId: string;
  /** The list examines the rows for these three. */
  readonly state?: { readonly is: 'active' | 'expired' | 'revoked'; readonly now: number };
  /** An address or a domain, in the form of the lists. */
  readonly reader?: string;
  readonly expiring?: { readonly from: number; readonly before: number };
};

const targetName = sql`coalesce(
  (select documents.name from documents where documents.id = links.document_id),
  (select folders.name from folders where folders.id = links.folder_id)
)`;

export const linkList = {
  sorts: { create_time: 'number', name: 'text', view_count: 'number', expire_time: 'number' },
  // Most links have no name.
  searches: ['name', 'id', targetName],
} as const satisfies List;

export function findLinks(
  db: Executor,
  { workspaceId, documentId, folderId, ...examined }: LinkFilter,
  query: ListQuery,
): Promise<ListPage<LinkRow>> {
  let links = db
    .selectFrom('links')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(hasTarget);
  if (documentId !== '') links = links.where('document_id', '=', documentId);
  if (folderId !== '') links = links.where('folder_id', '=', folderId);
  if (query.sort.field === 'expire_time') {
    links = links.where('expire_time', 'is not', null);
    // An index has the links in this order.
    const { expiring } = examined;
    if (expiring !== undefined) links = links.where(expiryCondition(expiring));
  }
  return readList(db, links, linkList, query, conditionsOf(db, examined));
}

function conditionsOf(
  db: Executor,
  { state, reader, expiring }: Pick<LinkFilter, 'state' | 'reader' | 'expiring'>,
): RawBuilder<SqlBool>[] {
  return [
    ...(state === undefined ? [] : [stateCondition(state)]),
    ...(reader === undefined ? [] : [readerCondition(db, reader)]),
    ...(expiring === undefined ? [] : [sql<SqlBool>`revoke_time is null`]),
    ...(expiring === undefined ? [] : [expiryCondition(expiring)]),
  ];
}

function expiryCondition(expiring: NonNullable<LinkFilter['expiring']>): RawBuilder<SqlBool> {
  return sql`(expire_time > ${expiring.from} and expire_time < ${expiring.before})`;
}

function stateCondition({ is, now }: NonNullable<LinkFilter['state']>): RawBuilder<SqlBool> {
  if (is === 'revoked') return sql`revoke_time is not null`;
  if (is === 'expired') return sql`(revoke_time is null and expire_time <= ${now})`;
  return sql`(revoke_time is null and (expire_time is null or expire_time > ${now}))`;
}

/** The entries of a list have one space between them. */
function readerCondition(db: Executor, reader: string): RawBuilder<SqlBool> {
  const listed = containsText(db, sql`(' ' || allow_list || ' ')`, ` ${reader} `);
  return sql`(recipient = ${reader} or ${listed})`;
}
