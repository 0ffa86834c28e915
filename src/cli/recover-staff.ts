// `latchkey recover-staff <email>`: restores access if no staff user can sign in or a management
// scope was lost. Needs the database but no master key. A running server applies the change within
// a second.

import { randomBytes } from 'node:crypto';
import {
  CommandError,
  type CommandHost,
  type Input,
  UsageError,
} from '../../clients/cli/src/base/command.ts';
import { wantsJson, write, writeJson } from '../../clients/cli/src/base/print.ts';
import { managementScopes, parseStoredScopes } from '../api/access/scopes.ts';
import { neverDisabled } from '../api/deletion.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import { type Config, readConfig } from '../base/config/config.ts';
import { encodeBase62, newId, type Random } from '../base/crypto/ids.ts';
import { readEmail } from '../base/net/email.ts';
import { createPasswords } from '../credentials/passwords.ts';
import { countSigningKeys } from '../identity/keys/store.ts';
import {
  deletePasskeys,
  deleteSeed,
  findUserByEmail,
  insertUser,
  markRecoveryPassword,
  updateUser,
} from '../identity/users/store.ts';
import { useDatabase } from '../storage/database.ts';
import { lockRows } from '../storage/queries/row-locks.ts';
import { endSessionsOf } from '../storage/queries/users.ts';
import type { Database, UserRow } from '../storage/schema/schema.ts';
import { openExistingDatabase } from './existing-database.ts';

export async function runRecoverStaff(input: Input, host: CommandHost): Promise<number> {
  const { email: address = '' } = input.args;
  const email = readEmail(address);
  if (email === undefined) throw new UsageError(`"${address}" is not an email address`);
  const config = readConfig(host.env);
  const options = { config, email, random: randomBytes, now: Date.now };
  const { password, isNew } = await recoverStaff(options).catch((error: unknown) => {
    throw new CommandError('The staff user was not recovered', error);
  });
  const done = isNew ? 'was created' : 'was recovered and has no second factor';
  host.stderr.write(
    `The staff user ${email} ${done}. The user has every management scope.\n` +
      'The password is not shown again:\n',
  );
  // Only the password is written to stdout, for scripts.
  if (wantsJson(input)) await writeJson(host, { email, password, created: isNew });
  else await write(host, `${password}\n`);
  return 0;
}

type RecoverOptions = {
  readonly config: Config;
  readonly email: string;
  readonly random: Random;
  readonly now: Clock;
};

type Recovered = {
  readonly password: string;
  readonly isNew: boolean;
};

/**
 * Gives the staff user a new password and every management scope, enables the user, removes the
 * second factor and ends all sessions. Creates the user if the address is not in use. Throws if the
 * address belongs to a member or the database was never used.
 */
async function recoverStaff(options: RecoverOptions): Promise<Recovered> {
  return useDatabase(await openExistingDatabase(options.config), async (db) => {
    if ((await countSigningKeys(db)) === 0) throw new Error('the database is empty');
    return recoverIn(db, options);
  });
}

async function recoverIn(db: Database, { email, random, now }: RecoverOptions): Promise<Recovered> {
  const password = encodeBase62(random(16), 22);
  const password_hash = await createPasswords().hash(password);
  const found = await findUserByEmail(db, email);
  const id = found?.id ?? newId('usr', random);
  const auditLog = createAuditLog({ db, random, now });
  await auditLog.changeBySystem('Staff.Recover', { target: id }, async (trx) => {
    await lockRows(trx, 'users', 'kind', ['staff']);
    const user = await findUserByEmail(trx, email);
    if (user?.id !== found?.id) throw new Error(`the user with ${email} changed; try again`);
    const scopes = scopesAfter(user);
    if (found === undefined) {
      const own = { id, kind: 'staff', email, name: '', create_time: now() } as const;
      await insertUser(trx, { ...own, password_hash, scopes, disable_time: null });
      await markRecoveryPassword(trx, { user_id: id, password_hash });
      return;
    }
    const change = { password_hash, scopes, ...neverDisabled, purge_position: null };
    await updateUser(trx, id, { ...change, update_time: now() });
    await markRecoveryPassword(trx, { user_id: id, password_hash });
    await deleteSeed(trx, id);
    await deletePasskeys(trx, id);
    await endSessionsOf(trx, id, { time: now() });
  });
  return { password, isNew: found === undefined };
}

function scopesAfter(user: UserRow | undefined): string {
  if (user?.kind === 'member') throw new Error(`the user ${user.email} is a member and not staff`);
  return [...new Set([...parseStoredScopes(user?.scopes ?? ''), ...managementScopes])].join(' ');
}
