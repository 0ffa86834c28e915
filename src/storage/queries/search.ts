// Finds the rows of a table that match the text of a search. Each table has indexes on the start of
// its texts and ids. Other parts are compared only in the newest rows, so that the time of a search
// does not grow with the table: not every PostgreSQL server has pg_trgm.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Executor, Schema } from '../schema/schema.ts';
import { containsText, foldedColumn, foldValue } from './folded-text.ts';
import { inLiveWorkspace } from './live-workspaces.ts';

export type SearchTable = {
  readonly table: keyof Schema;
  /** The column with the id. Default: `id`. */
  readonly id?: string;
  /** The prefix of the ids, such as `doc`; empty if they have none. */
  readonly idPrefix: string;
  /** Whether rows can have ids of another server, without the prefix. */
  readonly hasForeignIds?: boolean;
  /** The columns with the texts, each with an index: the name first. */
  readonly texts: readonly string[];
  /** The column with the workspace. Without it, the rows belong to the installation. */
  readonly workspace?: string;
  /** The column with the secret part of a URL. */
  readonly slug?: string;
  /** The table has at most about a thousand rows, so that it needs no indexes. */
  readonly isSmall?: boolean;
  /** Only these rows. The indexes cover the same rows. */
  readonly where?: (now: number) => RawBuilder<SqlBool>;
};

export type SearchText = {
  readonly text: string;
  /** The part of `text` that may be the slug of a URL; empty if it has none. */
  readonly slug: string;
};

export type SearchBounds = {
  /** Undefined: everywhere. */
  readonly workspaceIds: readonly string[] | undefined;
  readonly limit: number;
  readonly now: number;
};

export type FoundRow = {
  readonly id: string;
  /** Empty for a row of the installation. */
  readonly workspaceId: string;
  readonly texts: readonly string[];
};

/** The rows of a table in which any part of a text may match. */
const newestMax = { large: 500, small: 1_000 };

/** Sorts after every other character. */
const lastCharacter = '\u{10ffff}';

/** The shortest start of an id that few ids share. */
const idCharactersMin = { withPrefix: 3, withoutPrefix: 4 };

/** Returns at most `limit` rows for each way in which a row can match. A row may occur twice. */
export async function findMatches(
  db: Executor,
  searched: SearchTable,
  text: SearchText,
  bounds: SearchBounds,
): Promise<FoundRow[]> {
  const parts = partsOf(db, searched, text, bounds);
  if (parts.length === 0) return [];
  const query = sql<Record<string, string>>`${sql.join(parts, sql` union all `)}`;
  const { rows } = await query.execute(db);
  return rows.map((row) => ({
    id: row.id ?? '',
    workspaceId: row.workspace ?? '',
    texts: searched.texts.map((_, i) => row[textName(i)] ?? ''),
  }));
}

const textName = (i: number) => `text_${i}`;

type Condition = RawBuilder<unknown>;

function partsOf(
  db: Executor,
  searched: SearchTable,
  { text, slug }: SearchText,
  { workspaceIds, limit, now }: SearchBounds,
): RawBuilder<unknown>[] {
  const { workspace, texts } = searched;
  if (workspaceIds !== undefined && workspace === undefined) return [];
  const owner = sql.ref(workspace ?? '');
  // Each workspace has a range of an index. Most callers have one.
  const scopes = workspaceIds?.map((value): Condition[] => [sql`${owner} = ${value}`]) ?? [[]];
  if (scopes.length === 0) return [];
  // `|| ''` prevents the use of an index: SQLite would read all rows of a workspace.
  const within =
    workspaceIds === undefined ? [] : [sql`${owner} || '' in (${sql.join(workspaceIds)})`];
  // Other callers do not reach deleted workspaces.
  const live =
    workspaceIds === undefined && workspace !== undefined && searched.table !== 'workspaces'
      ? [inLiveWorkspace(`${searched.table}.${workspace}`)]
      : [];
  const id = sql.ref(idOf(searched));
  const folded = (column: string) => foldedColumn(db, column);
  const startsWith = (column: string, start: string): Condition[] => [
    sql`${folded(column)} >= ${foldValue(start)}`,
    sql`${folded(column)} < ${foldValue(start) + lastCharacter}`,
  ];
  const rows = (conditions: readonly Condition[], order: RawBuilder<unknown>, max = limit) => {
    const all = [
      ...conditions,
      ...(searched.where === undefined ? [] : [searched.where(now)]),
      ...live,
    ];
    const filter = all.length === 0 ? sql`` : sql`where ${sql.join(all, sql` and `)}`;
    return sql`select * from (
      select ${columnsOf(searched)} from ${sql.table(searched.table)} ${filter}
      order by ${order} limit ${max}
    ) as found`;
  };
  const newest = sql`create_time desc, ${id} desc`;
  const newestCount = searched.isSmall ? newestMax.small : newestMax.large;
  const newestOfScope = Math.ceil(newestCount / scopes.length);
  const anyPart = [...texts.map((_, i) => textName(i)), 'id'].map((column) =>
    containsText(db, column, text),
  );
  const inNewest = scopes.map((scope) => {
    const found = rows(scope, newest, newestOfScope);
    const matching = sql`${found} where (${sql.join(anyPart, sql` or `)}) limit ${limit}`;
    return sql`select * from (${matching}) as matching`;
  });
  if (searched.isSmall) return inNewest;
  return [
    ...scopes.flatMap((scope) =>
      texts.map((column) =>
        rows([...scope, ...startsWith(column, text)], sql`${folded(column)}, ${id}`),
      ),
    ),
    ...idStarts(searched, text).map((start) => {
      return rows([...startsWith(idOf(searched), start), ...within], folded(idOf(searched)));
    }),
    ...(searched.slug === undefined || slug === ''
      ? []
      : [rows([sql`${sql.ref(searched.slug)} = ${slug}`, ...within], id)]),
    ...inNewest,
  ];
}

const idOf = ({ id = 'id' }: SearchTable) => id;

function columnsOf(searched: SearchTable): RawBuilder<unknown> {
  const { workspace, texts } = searched;
  return sql.join([
    sql`${sql.ref(idOf(searched))} as id`,
    sql`${workspace === undefined ? sql`cast('' as text)` : sql.ref(workspace)} as workspace`,
    ...texts.map((column, i) => sql`${sql.ref(column)} as ${sql.ref(textName(i))}`),
  ]);
}

/** The starts of ids that the text may be. */
function idStarts({ idPrefix, hasForeignIds }: SearchTable, text: string): string[] {
  if (idPrefix === '') return [text];
  const foreign = hasForeignIds ? [text] : [];
  const { withPrefix, withoutPrefix } = idCharactersMin;
  const prefix = `${idPrefix}_`;
  const [start, min] = text.toLowerCase().startsWith(prefix)
    ? [text, prefix.length + withPrefix]
    : [prefix + text, prefix.length + withoutPrefix];
  const isPossible = /^[0-9A-Za-z]*$/.test(start.slice(prefix.length));
  return isPossible && start.length >= min ? [...new Set([start, ...foreign])] : foreign;
}
