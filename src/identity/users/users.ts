import { UserKind } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { disableFields } from '../../api/deletion.ts';
import { etagOf, timeFields } from '../../api/etag.ts';
import { fail } from '../../base/errors/errors.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { findUser, type User } from './store.ts';

/** Adds the methods of a factor that a session has proven after its sign-in. */
export type AddSessionMethods = (trx: Executor, id: string, methods: string) => Promise<void>;

const isErased = ({ delete_time, purge_time }: User) => purge_time !== null && delete_time === null;

export async function requireUser(db: Executor, id: string): Promise<User> {
  const user = await findUser(db, id);
  if (user === undefined || isErased(user))
    throw fail('not_found', 'The user does not exist.', { target: id });
  return user;
}

/** Locks the row until the transaction ends. Throws `not_found`. */
export async function lockUser(trx: Executor, id: string): Promise<User> {
  await lockRow(trx, 'users', 'id', id);
  return requireUser(trx, id);
}

/** The state that the entity tag of a user stands for. */
export function userState(user: User): object {
  const { id, kind, email, name, scopes, disable_time, kept_disable_time, delete_time } = user;
  return { id, kind, email, name, scopes, disable_time, kept_disable_time, delete_time };
}

export function userMessage(user: User) {
  return {
    id: user.id,
    kind: user.kind === 'staff' ? UserKind.STAFF : UserKind.MEMBER,
    email: user.email,
    name: user.name,
    scopes: [...parseStoredScopes(user.scopes)],
    passwordEnabled: user.password_hash !== '',
    totpEnabled: user.totp_confirm_time !== null,
    recoveryCodesLeft: user.recovery_codes_left,
    creator: user.creator_id ?? '',
    ...timeFields(user),
    etag: etagOf(userState(user)),
    ...disableFields(user),
  };
}
