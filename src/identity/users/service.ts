import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  UpdateUserRequestSchema,
  UserKind,
  type UserService,
} from '../../../gen/latchkey/identity/v1/user_pb.js';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { neverDisabled, requireNotDeleted } from '../../api/deletion.ts';
import { requireEtag, touched } from '../../api/etag.ts';
import { printableName } from '../../api/fields.ts';
import { callerOf, principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import { nameCreator } from '../../audit/names/creators.ts';
import { newId } from '../../base/crypto/ids.ts';
import { type Failure, fail, invalid } from '../../base/errors/errors.ts';
import { readEmail } from '../../base/net/email.ts';
import { passwordChangeQueue } from '../../credentials/passwords.ts';
import { refuseDuplicateWith } from '../../storage/duplicates.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import { lockRows } from '../../storage/queries/row-locks.ts';
import { endSessionsOf } from '../../storage/queries/users.ts';
import type { Executor, UserRow } from '../../storage/schema/schema.ts';
import { createUserDeletionMethods } from './deletion-methods.ts';
import { createFactorMethods, type UserOptions } from './factor-methods.ts';
import { grantChecksFor } from './grant-checks.ts';
import { requireHoldersLeft } from './last-holders.ts';
import { createRecoveryCodeMethods } from './recovery-codes.ts';
import {
  findUsers,
  insertUser,
  type User,
  type UserChange,
  updateUser,
  userList,
} from './store.ts';
import { lockUser, requireUser, userMessage, userState } from './users.ts';

export function createUserService(options: UserOptions): ServiceImpl<typeof UserService> {
  const { db, auditLog, passwords, checkPassword, securityNotices } = options;
  const { rolesOf, random, now } = options;

  /** In a transaction that locks all staff and the user. */
  function change(
    context: HandlerContext,
    request: { readonly userId: string; readonly etag?: string },
    decide: (user: User, trx: Executor) => UserChange | Promise<UserChange>,
  ): Promise<User> {
    const { userId: id } = request;
    return auditLog.change(context, { target: id }, async (trx) => {
      await lockRows(trx, 'users', 'kind', ['staff']);
      const user = await lockUser(trx, id);
      requireNotDeleted(user, 'user');
      requireEtag(context, request, userState(user));
      const change = await decide(user, trx);
      const timed = { ...change, ...touched(user, change, now()) };
      await updateUser(trx, id, timed);
      const changed = { ...user, ...timed };
      await requireHoldersLeft(trx, user, changed);
      return changed;
    });
  }

  return {
    ...createFactorMethods(options),
    ...createRecoveryCodeMethods(options),
    ...createUserDeletionMethods(options),
    exportUser: options.exportUser,
    mailPasswordLink: options.mailPasswordLink,

    async createUser(request, context) {
      const { kind } = request;
      const email = requireEmail(request.email);
      const name = printableName(request.name);
      const { password } = request;
      if (password !== '') await checkPassword(password, email);
      if (kind === UserKind.MEMBER && request.scopes.length > 0) throw memberScopes();
      const queue = passwordChangeQueue(principalId(principalOf(context)));
      const row: UserRow = {
        id: newId('usr', random),
        kind: kind === UserKind.STAFF ? 'staff' : 'member',
        email,
        name,
        password_hash: password === '' ? '' : await passwords.hash(password, queue),
        scopes: [...new Set(request.scopes)].join(' '),
        create_time: now(),
        update_time: null,
        creator_id: principalId(principalOf(context)),
        ...neverDisabled,
      };
      return auditLog
        .create(context, { target: row.id }, async (trx) => {
          await requireHeldScopes(trx, context, request.scopes);
          await insertUser(trx, row);
          return { user: userMessage({ ...row, totp_confirm_time: null, recovery_codes_left: 0 }) };
        })
        .catch(refuseDuplicate);
    },

    async getUser({ userId }, context) {
      const user = userMessage(await requireUser(db, userId));
      return { user: await nameCreator(db, context, user) };
    },

    async listUsers(request, { signal }) {
      const query = parseListRequest(request, userList.sorts, signal);
      const filter = {
        email: request.email === '' ? undefined : request.email.trim().toLowerCase(),
        kind: kinds.get(request.kind),
        showDeleted: request.showDeleted,
      };
      const { rows, ...page } = await findUsers(db, filter, query);
      return { users: rows.map(userMessage), ...page };
    },

    async updateUser(request, context) {
      const { userId } = request;
      const update = readUpdate(UpdateUserRequestSchema, request, fields).change;
      if (update.email !== undefined || update.scopes !== undefined) requireManager(context);
      const { requireToActAs, requireToWeaken } = grantChecksFor(context, userId, rolesOf);
      let oldEmail = '';
      const user = await change(context, request, async (old, trx) => {
        oldEmail = old.email;
        const scopes = update.scopes ?? old.scopes;
        if (old.kind === 'member' && scopes !== '') throw memberScopes();
        await requireHeldScopes(trx, context, lackingIn(scopes, old.scopes));
        const removesScopes = lackingIn(old.scopes, scopes).length > 0;
        const changesEmail = update.email !== undefined && update.email !== old.email;
        if (removesScopes) await requireToWeaken(trx, old);
        if (changesEmail) await requireToActAs(trx, old);
        return update;
      }).catch(refuseDuplicate);
      if (user.email !== oldEmail) securityNotices.send(context, 'email', { ...user, oldEmail });
      return { user: userMessage(user) };
    },

    async disableUser({ userId }, context) {
      const { requireToWeaken } = grantChecksFor(context, userId, rolesOf);
      const user = await change(context, { userId }, async (old, trx) => {
        await requireToWeaken(trx, old);
        if (old.disable_time !== null) return {};
        const time = now();
        await endSessionsOf(trx, userId, { time });
        return { disable_time: time };
      });
      return { user: userMessage(user) };
    },

    async enableUser({ userId }, context) {
      const { requireToActAs } = grantChecksFor(context, userId, rolesOf);
      const user = await change(context, { userId }, async (old, trx) => {
        await requireToActAs(trx, old);
        return { disable_time: null };
      });
      return { user: userMessage(user) };
    },
  };
}

/** Users without the scope may change only their own name. */
function requireManager(context: HandlerContext): void {
  const principal = principalOf(context);
  const { scope } = callerOf(context).method.access;
  if (principal.type !== 'anonymous' && principal.scopes.has(scope)) return;
  throw fail('forbidden', `The scope ${scope} is required to change more than your own name.`);
}

const fields: UpdateFields<typeof UpdateUserRequestSchema, UserChange> = {
  email: ({ email }) => ({ email: requireEmail(email) }),
  name: ({ name }) => ({ name: printableName(name) }),
  scopes: ({ scopes }) => ({ scopes: [...new Set(scopes)].join(' ') }),
};

const kinds: ReadonlyMap<UserKind, UserRow['kind']> = new Map([
  [UserKind.STAFF, 'staff'],
  [UserKind.MEMBER, 'member'],
]);

function requireEmail(text: string): string {
  const email = readEmail(text);
  if (email === undefined) throw invalid('email', 'must be an email address');
  return email;
}

function memberScopes(): Failure {
  return invalid('scopes', 'must not be set for members, whose roles grant scopes');
}

function lackingIn(first: string, second: string): string[] {
  const others = parseStoredScopes(second);
  return [...parseStoredScopes(first)].filter((scope) => !others.has(scope));
}

const refuseDuplicate = refuseDuplicateWith('Another user has the email address.');
