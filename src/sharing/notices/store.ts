import { type SqlBool, sql } from 'kysely';
import { retriesDueBy, type WaitingMail } from '../../base/mail/retries.ts';
import { inLiveWorkspace } from '../../storage/queries/live-workspaces.ts';
import { countRows } from '../../storage/queries/row-counts.ts';
import type {
  Executor,
  LinkNoticeRow,
  LinkRow,
  StoredView,
  UserRow,
  ViewRow,
} from '../../storage/schema/schema.ts';

/** Adds a view to the next mail about its link, if the creator gets one. */
export async function noteView(
  trx: Executor,
  { linkId, viewId }: { readonly linkId: string; readonly viewId: string },
  dueTimeOf: (notify: LinkRow['notify']) => number,
): Promise<void> {
  const link = await trx
    .selectFrom('links')
    .select(['notify', 'notify_from', 'view_count'])
    .where('id', '=', linkId)
    .executeTakeFirst();
  if (link === undefined || link.notify === '') return;
  // The view is already counted.
  if (link.notify === 'first_view' && link.view_count !== link.notify_from + 1) return;
  const due_time = dueTimeOf(link.notify);
  await trx
    .insertInto('link_notices')
    .values({ link_id: linkId, views: 1, due_time, attempts: 0, mails: 0, view_id: viewId })
    .onConflict((conflict) =>
      conflict.column('link_id').doUpdateSet((eb) => ({
        views: eb('link_notices.views', '+', 1),
        view_id: viewId,
        due_time: eb.fn.coalesce('link_notices.due_time', eb.ref('excluded.due_time')),
      })),
    )
    .execute();
}

/** Forgets the views of a link whose mails have changed. */
export async function forgetViews(trx: Executor, linkId: string): Promise<void> {
  await trx
    .updateTable('link_notices')
    .set((eb) => ({
      ...{ views: 0, due_time: null, attempts: 0, view_id: null },
      mails: eb('mails', '+', 1),
    }))
    .where('link_id', '=', linkId)
    .execute();
}

export type DueNotice = LinkNoticeRow &
  Pick<LinkRow, 'notify' | 'notify_from' | 'view_count' | 'creator_id' | 'workspace_id'> &
  Pick<LinkRow, 'folder_id'> & {
    readonly link_name: string;
    readonly target_name: string;
  };

const selectDue = (db: Executor, now: number) =>
  db
    .selectFrom('link_notices')
    .innerJoin('links', 'links.id', 'link_notices.link_id')
    .leftJoin('documents', 'documents.id', 'links.document_id')
    .leftJoin('folders', 'folders.id', 'links.folder_id')
    .selectAll('link_notices')
    .select(['links.notify', 'links.notify_from', 'links.view_count'])
    .select(['links.creator_id', 'links.workspace_id', 'links.folder_id'])
    .select('links.name as link_name')
    .select((eb) => eb.fn.coalesce('documents.name', 'folders.name', sql.lit('')).as('target_name'))
    .where('link_notices.due_time', '<=', now)
    .where('documents.remove_time', 'is', null)
    .where(inLiveWorkspace('links.workspace_id'));

export function findDueNotice(db: Executor, now: number): Promise<DueNotice | undefined> {
  return selectDue(db, now)
    .orderBy('link_notices.due_time')
    .orderBy('link_notices.link_id')
    .limit(1)
    .executeTakeFirst();
}

/** Returns notices whose mail is due, or will be tried again, up to a limit. */
export function findWaitingNotices(
  db: Executor,
  now: number,
  limit: number,
): Promise<WaitingMail[]> {
  return selectDue(db, retriesDueBy(now))
    .clearSelect()
    .select((eb) => [eb.ref('link_notices.due_time').$notNull().as('due_time')])
    .select('link_notices.attempts')
    .orderBy('link_notices.due_time')
    .orderBy('link_notices.link_id')
    .limit(limit)
    .execute();
}

export function findDigest(db: Executor, first: DueNotice, now: number): Promise<DueNotice[]> {
  return selectDue(db, now)
    .where('links.notify', '=', 'digest')
    .where('links.creator_id', '=', first.creator_id)
    .where('links.workspace_id', '=', first.workspace_id)
    .orderBy('link_notices.link_id')
    .limit(linksMax)
    .execute();
}

const linksMax = 100;

/** A link to a folder counts a reader's first view of a document of the room. */
const isCounted = sql<SqlBool>`(access_id is null or not exists (
  select 1 from views as earlier where earlier.access_id = views.access_id
    and (earlier.create_time, earlier.id) < (views.create_time, views.id)
))`;

/** A view with figures about its reader. In a room, they are about all documents of the session. */
export type NoticedView = Pick<ViewRow, 'email' | 'email_verified' | 'create_time'> &
  Pick<StoredView, 'acting_client_name'> &
  Reading;

type Reading = {
  readonly duration_ms: number;
  readonly documents: number;
  readonly pages: number;
};

export async function findNoticedViews(
  db: Executor,
  notice: DueNotice,
  limit: number,
): Promise<NoticedView[]> {
  const { link_id, views, notify, notify_from, view_count } = notice;
  // The first view may have others after it.
  const later = notify === 'first_view' ? Math.max(0, view_count - notify_from - 1) : 0;
  const newest = await db
    .selectFrom('views')
    .selectAll()
    .where('link_id', '=', link_id)
    .where(isCounted)
    .orderBy('create_time', 'desc')
    .orderBy('id', 'desc')
    .limit(Math.min(views, limit))
    .offset(later)
    .execute();
  return Promise.all(newest.map(async (view) => ({ ...view, ...(await findReading(db, view)) })));
}

/** A page that was visible for a shorter time was not read, as in the insight. */
const readMsMin = 1_000;

type ReadView = Pick<ViewRow, 'id'> & { readonly access_id: string | null };

async function findReading(db: Executor, { id, access_id }: ReadView): Promise<Reading> {
  const views = db
    .selectFrom('views')
    .select(['id', 'duration_ms'])
    .where(access_id === null ? 'id' : 'access_id', '=', access_id ?? id);
  const { duration_ms, documents } = await db
    .selectFrom(views.as('read'))
    .select(({ fn }) => [
      fn.sum<number | string | null>('duration_ms').as('duration_ms'),
      fn.countAll<number | string>().as('documents'),
    ])
    .executeTakeFirstOrThrow();
  const pages = db
    .selectFrom('view_pages')
    .select(['view_id', 'page'])
    .where('view_id', 'in', views.clearSelect().select('id'))
    .where('page', '>', 0)
    .groupBy(['view_id', 'page'])
    .having(({ fn }) => fn.sum('duration_ms'), '>=', readMsMin);
  return {
    duration_ms: Number(duration_ms ?? 0),
    documents: Number(documents),
    pages: await countRows(db.selectFrom(pages.as('read'))),
  };
}

/** Returns the number of readers in a mail. Each view without an address has another reader. */
export async function countReaders(db: Executor, { link_id, views }: DueNotice): Promise<number> {
  if (views === 1) return 1;
  const newest = db
    .selectFrom('views')
    .select('email')
    .where('link_id', '=', link_id)
    .where(isCounted)
    .orderBy('create_time', 'desc')
    .orderBy('id', 'desc')
    .limit(views)
    .as('newest');
  const { known, anonymous } = await db
    .selectFrom(newest)
    .select(({ fn }) => [
      fn.count<number | string>(sql`nullif(email, '')`).distinct().as('known'),
      fn.count<number | string>(sql`case when email = '' then 1 end`).as('anonymous'),
    ])
    .executeTakeFirstOrThrow();
  return Number(known) + Number(anonymous);
}

export async function findMemberName(
  db: Executor,
  workspaceId: string,
  email: string,
): Promise<string> {
  const user = await db
    .selectFrom('users')
    .innerJoin('members', 'members.user_id', 'users.id')
    .select('users.name')
    .where('members.workspace_id', '=', workspaceId)
    .where('users.email', '=', email)
    .executeTakeFirst();
  return user?.name ?? '';
}

export async function findRecipient(
  db: Executor,
  userId: string,
  workspaceId: string,
): Promise<Pick<UserRow, 'id' | 'email'> | undefined> {
  const user = await db
    .selectFrom('users')
    .select(['id', 'email', 'kind', 'scopes'])
    .where('id', '=', userId)
    .where('disable_time', 'is', null)
    .executeTakeFirst();
  if (user?.kind !== 'member') {
    return user?.scopes.split(' ').includes('links:read') === true ? user : undefined;
  }
  // Every role in a workspace may read its links.
  const member = await db
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return member === undefined ? undefined : user;
}

/** Does nothing if another process has sent a mail since `notice` was read. */
export async function subtractViews(
  trx: Executor,
  notice: LinkNoticeRow,
  nextDueTime: number,
): Promise<void> {
  await trx
    .updateTable('link_notices')
    .set((eb) => ({
      views: eb('views', '-', notice.views),
      due_time: eb.case().when('views', '>', notice.views).then(nextDueTime).else(null).end(),
      attempts: 0,
      mails: eb('mails', '+', 1),
    }))
    .where('link_id', '=', notice.link_id)
    .where('mails', '=', notice.mails)
    .execute();
}

export async function postpone(
  trx: Executor,
  notice: LinkNoticeRow,
  change: Pick<LinkNoticeRow, 'due_time' | 'attempts'>,
): Promise<void> {
  await trx
    .updateTable('link_notices')
    .set(change)
    .where('link_id', '=', notice.link_id)
    .where('mails', '=', notice.mails)
    .execute();
}
