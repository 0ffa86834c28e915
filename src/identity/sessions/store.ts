import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { selectNewestFirst } from '../../storage/queries/page-token.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { deleteBy, findBy, insertInto } from '../../storage/queries/table-queries.ts';
import type { Executor, SessionRow, TotpSeedRow, UserRow } from '../../storage/schema/schema.ts';
import type { AddSessionMethods } from '../users/users.ts';

export type UserWithSeed = {
  readonly user: UserRow;
  readonly seed: TotpSeedRow | undefined;
};

/** One query for every address, so that its duration does not reveal the user. */
export async function findUserWithSeed(
  db: Executor,
  email: string,
): Promise<UserWithSeed | undefined> {
  const row = await db
    .selectFrom('users')
    .leftJoin('totp_seeds as t', 't.user_id', 'users.id')
    .selectAll('users')
    .select([
      't.ciphertext',
      't.master_key_id',
      't.create_time as seed_create_time',
      't.confirm_time',
      't.last_step',
    ])
    .where('email', '=', email)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { ciphertext, master_key_id, seed_create_time, confirm_time, last_step, ...user } = row;
  if (ciphertext === null || master_key_id === null || confirm_time === null) {
    return { user, seed: undefined };
  }
  const create_time = seed_create_time ?? 0;
  const times = { create_time, confirm_time, last_step: last_step ?? 0 };
  return { user, seed: { user_id: user.id, ciphertext, master_key_id, ...times } };
}

/** False if the password or the state has changed. Changes that end sessions wait. */
export async function lockUnchangedUser(
  trx: Executor,
  { id, password_hash }: UserRow,
): Promise<boolean> {
  const row = await lockRow(trx, 'users', 'id', id);
  return row?.password_hash === password_hash && row.disable_time === null;
}

export function hasConfirmedSeed(trx: Executor, userId: string): Promise<boolean> {
  return hasRow(
    trx
      .selectFrom('totp_seeds')
      .where('user_id', '=', userId)
      .where('confirm_time', 'is not', null),
  );
}

/** False if another code was used since the seed was read. */
export async function consumeTotpStep(
  trx: Executor,
  seed: TotpSeedRow,
  step: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('totp_seeds')
    .set({ last_step: step })
    .where('user_id', '=', seed.user_id)
    .where('ciphertext', '=', seed.ciphertext)
    .where('last_step', '=', seed.last_step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const insertSession = insertInto('sessions');

const findSessionRow = findBy('sessions', 'id');

export type SessionWithUser = { readonly session: SessionRow; readonly user: UserRow };

export async function findSession(db: Executor, id: string): Promise<SessionWithUser | undefined> {
  const session = await findSessionRow(db, id);
  if (session === undefined) return undefined;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', session.user_id)
    .executeTakeFirstOrThrow();
  return { session, user };
}

const live = (db: Executor, userId: string, now: number) =>
  db
    .selectFrom('sessions')
    .where('user_id', '=', userId)
    .where('revoke_time', 'is', null)
    .where('expire_time', '>', now);

/** A user has few live sessions, so they can be sorted without an index. */
export const sessionList = {
  sorts: { create_time: 'number', refresh_time: 'number' },
  searches: ['address'],
} as const satisfies List;

/** Also finds ended sessions, until the service deletes them: the audit log names them. */
export const sessionSearch: SearchTable = { table: 'sessions', idPrefix: 'ses', texts: [] };

export function findSessions(
  db: Executor,
  userId: string,
  now: number,
  query: ListQuery,
): Promise<ListPage<SessionRow>> {
  return readList(db, live(db, userId, now).selectAll(), sessionList, query);
}

/** More than a user can have above the limit: each sign-in ends the oldest ones. */
const oldSessionsMax = 1000;

export async function findOldSessions(
  db: Executor,
  userId: string,
  now: number,
  newest: number,
): Promise<string[]> {
  // Without a limit, PostgreSQL reads and sorts every session that the user ever had.
  const page = { limit: newest + oldSessionsMax, after: undefined };
  const rows = await selectNewestFirst(live(db, userId, now).select('id'), page).execute();
  return rows.slice(newest).map(({ id }) => id);
}

export function extendSession(
  trx: Executor,
  id: string,
  now: number,
  expireTime: number,
): Promise<SessionRow | undefined> {
  return trx
    .updateTable('sessions')
    .set({ refresh_time: now, expire_time: expireTime })
    .where('id', '=', id)
    .where('revoke_time', 'is', null)
    .where('expire_time', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Ends the sessions. A session that has already ended keeps its time. */
export async function endSessions(
  trx: Executor,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('sessions')
    .set({ revoke_time: now })
    .where('id', 'in', ids)
    .where('revoke_time', 'is', null)
    .execute();
}

export const addSessionMethods: AddSessionMethods = async (trx, id, methods) => {
  const session = await lockRow(trx, 'sessions', 'id', id);
  if (session === undefined) return;
  const all = new Set([...session.amr.split(' '), ...methods.split(' ')].filter(Boolean));
  const amr = [...all].join(' ');
  await trx.updateTable('sessions').set({ amr }).where('id', '=', id).execute();
};

export type ProviderSessions = {
  readonly providerId: string;
  readonly sid?: string | undefined;
  readonly userId?: string | undefined;
};

/**
 * Locks the provider, and returns whether it is enabled. Starting and ending sessions of a provider
 * both hold this lock, so that no session starts while they are being ended.
 */
export async function lockEnabledProvider(trx: Executor, id: string): Promise<boolean> {
  return (await lockRow(trx, 'identity_providers', 'id', id))?.enabled === 1;
}

/** Ends the sessions that were started with a provider, and returns their ids. */
export async function endProviderSessions(
  trx: Executor,
  { providerId, sid, userId }: ProviderSessions,
  now: number,
): Promise<string[]> {
  let query = trx
    .updateTable('sessions')
    .set({ revoke_time: now })
    .where('provider_id', '=', providerId)
    .where('revoke_time', 'is', null);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  if (sid !== undefined) {
    // A session of the user without a `sid` may be the one that has ended.
    query = query.where((eb) =>
      eb.or([
        eb('provider_sid', '=', sid),
        ...(userId === undefined ? [] : [eb('provider_sid', 'is', null)]),
      ]),
    );
  }
  const rows = await query.returning('id').execute();
  return rows.map(({ id }) => id);
}

/** Whether `recover-staff` has set the current password of the user. */
export function hasRecoveryPassword(
  db: Executor,
  { id, password_hash }: Pick<UserRow, 'id' | 'password_hash'>,
): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('recovery_passwords')
      .where('user_id', '=', id)
      .where('password_hash', '=', password_hash),
  );
}

export function hasRecoveryCode(db: Executor, userId: string, digest: string): Promise<boolean> {
  return hasRow(
    db.selectFrom('recovery_codes').where('user_id', '=', userId).where('digest', '=', digest),
  );
}

export const consumeRecoveryCode = deleteBy('recovery_codes', 'user_id', 'digest');
