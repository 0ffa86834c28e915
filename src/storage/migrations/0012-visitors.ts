// Adds the visitors of workspaces. Triggers derive them from the views, also from those of release
// 0.1. Expands only.
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { createSortIndex } from './0005-lists.ts';
import { createIndex } from './indexes.ts';

export async function addVisitors(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const folded = sql.raw(isSqlite ? 'lower(email)' : 'lower(email collate "C")');
  await db.schema.alterTable('views').addColumn('workspace_id', 'text').execute();
  await sql`update views set
    workspace_id = (select workspace_id from links where links.id = views.link_id)`.execute(db);
  await createSortIndex(db, 'views', 'visitor', [
    ...['workspace_id', 'lower(email)', 'create_time', 'id'],
  ]);
  await db.schema
    .createTable('visitors')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('view_count', 'bigint', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('last_view_time', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('visitors_email', ['workspace_id', 'email'])
    .execute();
  for (const column of ['create_time', 'last_view_time', 'view_count']) {
    await createIndex(db, 'visitors', column, ['workspace_id', column, 'id']);
  }
  await createSortIndex(db, 'visitors', 'folded_email', ['workspace_id', 'lower(email)', 'id']);
  await sql`insert into visitors (id, workspace_id, email, view_count, create_time, last_view_time)
    select min(id), workspace_id, ${folded}, count(*), min(create_time), max(create_time)
    from views where email <> '' group by workspace_id, ${folded}`.execute(db);
  for (const statement of isSqlite ? sqliteTriggers : postgresTriggers) {
    await sql.raw(statement).execute(db);
  }
}

const workspaceOf = '(select workspace_id from links where id = new.link_id)';

const foldedOf = (row: 'old' | 'new', collation: string) => `lower(${row}.email${collation})`;

/** The id of a visitor is that of the first view. */
const count = (workspace: string, collation: string) => `insert into visitors
    (id, workspace_id, email, view_count, create_time, last_view_time)
  values (new.id, ${workspace}, ${foldedOf('new', collation)}, 1, new.create_time, new.create_time)
  on conflict (workspace_id, email) do update set
    view_count = visitors.view_count + 1,
    create_time = case when excluded.create_time < visitors.create_time
      then excluded.create_time else visitors.create_time end,
    last_view_time = case when excluded.last_view_time > visitors.last_view_time
      then excluded.last_view_time else visitors.last_view_time end;`;

/** The last view takes the visitor with it. */
function discount(collation: string): string {
  const email = foldedOf('old', collation);
  return `update visitors set
      view_count = view_count - 1,
      last_view_time = coalesce((select max(views.create_time) from views
        where views.workspace_id = old.workspace_id
          and lower(views.email${collation}) = ${email}), last_view_time)
    where workspace_id = old.workspace_id and email = ${email};
    delete from visitors
      where workspace_id = old.workspace_id and email = ${email} and view_count <= 0;`;
}

const sqliteTriggers = [
  `create trigger views_workspace after insert on views when new.workspace_id is null
    begin update views set workspace_id = ${workspaceOf} where id = new.id; end`,
  `create trigger views_count_visitor after insert on views when new.email <> ''
    begin ${count(workspaceOf, '')} end`,
  `create trigger views_discount_visitor after delete on views when old.email <> ''
    begin ${discount('')} end`,
];

const collation = ' collate "C"';

const postgresFunction = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql
    set search_path from current as $$ begin ${body} end $$`;

const postgresTriggers = [
  postgresFunction('set_view_workspace', `new.workspace_id := ${workspaceOf}; return new;`),
  `create trigger views_workspace before insert on views
    for each row when (new.workspace_id is null) execute function set_view_workspace()`,
  postgresFunction('count_visitor', `${count('new.workspace_id', collation)} return null;`),
  `create trigger views_count_visitor after insert on views
    for each row when (new.email <> '') execute function count_visitor()`,
  postgresFunction('discount_visitor', `${discount(collation)} return null;`),
  `create trigger views_discount_visitor after delete on views
    for each row when (old.email <> '') execute function discount_visitor()`,
];
