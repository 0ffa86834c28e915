import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import {
  UpdateUserRequestSchema,
  UserKind,
  type UserService,
} from '../../../gen/latchkey/identity/v1/user_pb.js';
import { readEmail } from '../../email.ts';
import { newId } from '../../ids.ts';
import { type Failure, fail, invalid } from '../../rpc/errors.ts';
import { privilegeOf } from '../../rpc/privilege.ts';
import { readUpdate, type UpdateFields } from '../../rpc/update.ts';
import { isDuplicate } from '../../storage/database.ts';
import { pageOf, pageQuery } from '../../storage/page-token.ts';
import type { Executor, UserRow } from '../../storage/schema.ts';
import { storedScopes } from '../scopes.ts';
import { createFactorMethods, type UserOptions } from './factors.ts';
import { checkPassword } from './password-rules.ts';
import { powerOver } from './privilege.ts';
import {
  endSessionsOf,
  findUsers,
  hasStaffWith,
  insertUser,
  lockStaff,
  type User,
  type UserChange,
  updateUser,
} from './store.ts';
import { requireUser, userMessage } from './users.ts';

/** The scope without which nobody can bring anybody in again. */
const indispensable = 'users:write';

export function createUserService(options: UserOptions): ServiceImpl<typeof UserService> {
  const { db, trail, passwords, random, now } = options;

  /** Changes a user by what `decide` makes of the row, in a transaction that locks the staff. */
  function change(
    context: HandlerContext,
    id: string,
    decide: (user: User, trx: Executor) => UserChange | Promise<UserChange>,
  ): Promise<User> {
    return trail.change(context, { target: id, topic: 'access' }, async (trx) => {
      await lockStaff(trx);
      const user = await requireUser(trx, id);
      const changes = await decide(user, trx);
      await updateUser(trx, id, changes);
      if (isIndispensable(user) && !(await hasStaffWith(trx, indispensable))) {
        throw fail('conflict', `It is the last enabled staff user with ${indispensable}.`);
      }
      return { ...user, ...changes };
    });
  }

  return {
    ...createFactorMethods(options),

    async createUser(request, context) {
      const { kind } = request;
      const email = requireEmail(request.email);
      checkPassword(request.password, email);
      if (kind === UserKind.MEMBER && request.scopes.length > 0) throw memberScopes();
      const requireHeld = await privilegeOf(context);
      requireHeld(request.scopes);
      const row: UserRow = {
        id: newId('usr', random),
        kind: kind === UserKind.STAFF ? 'staff' : 'member',
        email,
        name: request.name,
        password_hash: await passwords.hash(request.password),
        scopes: [...new Set(request.scopes)].join(' '),
        create_time: now(),
        disable_time: null,
      };
      await trail
        .change(context, { target: row.id }, (trx) => insertUser(trx, row))
        .catch(refuseDuplicate);
      return { user: userMessage({ ...row, totp_confirm_time: null }) };
    },

    async getUser({ userId }) {
      return { user: userMessage(await requireUser(db, userId)) };
    },

    async listUsers(request) {
      const query = pageQuery(request);
      const filter = {
        email: request.email === '' ? undefined : request.email.trim().toLowerCase(),
        kind: kinds.get(request.kind),
      };
      const { rows, nextPageToken } = pageOf(await findUsers(db, filter, query), query);
      return { users: rows.map(userMessage), nextPageToken };
    },

    async updateUser(request, context) {
      const { userId } = request;
      const update = readUpdate(UpdateUserRequestSchema, request, fields).change;
      const requirePower = await powerOver(context, userId);
      const requireHeld = await privilegeOf(context);
      const user = await change(context, userId, (old) => {
        if (update.scopes !== undefined) {
          if (old.kind === 'member' && update.scopes !== '') throw memberScopes();
          const before = storedScopes(old.scopes);
          const added = [...storedScopes(update.scopes)].filter((scope) => !before.has(scope));
          requireHeld(added);
        }
        if (update.email !== undefined && update.email !== old.email) requirePower(old);
        return update;
      }).catch(refuseDuplicate);
      return { user: userMessage(user) };
    },

    async disableUser({ userId }, context) {
      const user = await change(context, userId, async (old, trx) => {
        if (old.disable_time !== null) return {};
        const time = now();
        await endSessionsOf(trx, userId, { time });
        return { disable_time: time };
      });
      return { user: userMessage(user) };
    },

    async enableUser({ userId }, context) {
      const requirePower = await powerOver(context, userId);
      const user = await change(context, userId, (old) => {
        requirePower(old);
        return { disable_time: null };
      });
      return { user: userMessage(user) };
    },
  };
}

/** What an update can change, by its path in the mask. */
const fields: UpdateFields<typeof UpdateUserRequestSchema, UserChange> = {
  email: ({ email }) => ({ email: requireEmail(email) }),
  name: ({ name }) => ({ name }),
  scopes: ({ scopes }) => ({ scopes: [...new Set(scopes)].join(' ') }),
};

const kinds: ReadonlyMap<UserKind, UserRow['kind']> = new Map([
  [UserKind.STAFF, 'staff'],
  [UserKind.MEMBER, 'member'],
]);

function requireEmail(text: string): string {
  const email = readEmail(text);
  if (email === undefined) throw invalid('email', 'is not an e-mail address');
  return email;
}

function memberScopes(): Failure {
  return invalid('scopes', 'are for staff: what members may do is said by their roles');
}

function isIndispensable({ kind, disable_time, scopes }: UserRow): boolean {
  return kind === 'staff' && disable_time === null && storedScopes(scopes).has(indispensable);
}

function refuseDuplicate(error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw fail('conflict', 'Another user has the e-mail address.', { grpc: Code.AlreadyExists });
}
