// Creates the users of accepted invitations.

import { neverDisabled } from '../../api/deletion.ts';
import { printableName } from '../../api/fields.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import { type Passwords, passwordChangeQueue } from '../../credentials/passwords.ts';
import { isUniqueViolation } from '../../storage/database.ts';
import type { Executor, UserRow } from '../../storage/schema/schema.ts';
import type { CheckPassword } from './password-rules.ts';
import { insertUser } from './store.ts';

export type NewMemberOptions = {
  readonly passwords: Passwords;
  readonly checkPassword: CheckPassword;
  readonly random: Random;
  readonly now: Clock;
};

export type NewMember = {
  readonly email: string;
  readonly name: string;
  readonly password: string;
};

export function createNewMembers(options: NewMemberOptions) {
  const { passwords, checkPassword, random, now } = options;
  return {
    async prepare({ email, name, password }: NewMember): Promise<UserRow> {
      printableName(name);
      await checkPassword(password, email);
      return {
        id: newId('usr', random),
        kind: 'member',
        email,
        name,
        password_hash: await passwords.hash(password, passwordChangeQueue(email)),
        scopes: '',
        create_time: now(),
        update_time: null,
        creator_id: null,
        ...neverDisabled,
      };
    },

    async insert(trx: Executor, row: UserRow): Promise<void> {
      await insertUser(trx, row).catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        throw fail('conflict', 'A user with this email address exists. Sign in to continue.');
      });
    },
  };
}

export type MemberAccounts = ReturnType<typeof createNewMembers>;
