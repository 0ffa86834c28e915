// `latchkey recover-staff <email>`: the way back in when no staff user can sign in or when a
// management scope was lost. Needs the database and no master key; a running server notices within
// a second.

import { managementScopes, storedScopes } from '../access/scopes.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { createPasswords } from '../credentials/passwords.ts';
import { base62, newId, type Random } from '../crypto/ids.ts';
import { countSigningKeys } from '../identity/keys/store.ts';
import {
  deleteSeed,
  endSessionsOf,
  findUserByEmail,
  insertUser,
  lockStaff,
  updateUser,
} from '../identity/users/store.ts';
import { watchChanges } from '../storage/invalidation.ts';
import type { Database, Executor } from '../storage/schema.ts';
import { openExistingDatabase } from './existing-database.ts';

export type RecoverOptions = {
  readonly config: Config;
  /** In lower case. */
  readonly email: string;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export type Recovered = {
  /** Not stored: shown once. */
  readonly password: string;
  readonly isNew: boolean;
};

/**
 * Gives the staff user a new password and every management scope, enables them, removes their
 * second factor and ends their sessions. Creates the user if there is none with the address. Throws
 * if the address belongs to a member or the database was never used.
 */
export async function recoverStaff(options: RecoverOptions): Promise<Recovered> {
  const db = await openExistingDatabase(options.config.databaseUrl);
  try {
    if ((await countSigningKeys(db)) === 0) throw new Error('the database is empty');
    return await recoverIn(db, options);
  } finally {
    await db.destroy();
  }
}

async function recoverIn(db: Database, { email, random, now }: RecoverOptions): Promise<Recovered> {
  const password = base62(random(16), 22);
  const password_hash = await createPasswords().hash(password);
  const found = await findUserByEmail(db, email);
  const id = found?.id ?? newId('usr', random);
  const changes = await watchChanges(db);
  try {
    const auditLog = createAuditLog({ db, changes, random, now });
    await auditLog.changeBySystem('Staff.Recover', { target: id, topic: 'access' }, async (trx) => {
      await lockStaff(trx);
      const scopes = await scopesAfter(trx, email);
      if (found === undefined) {
        const own = { id, kind: 'staff', email, name: '', create_time: now() } as const;
        await insertUser(trx, { ...own, password_hash, scopes, disable_time: null });
        return;
      }
      await updateUser(trx, id, { password_hash, scopes, disable_time: null });
      await deleteSeed(trx, id);
      await endSessionsOf(trx, id, { time: now() });
    });
  } finally {
    await changes.stop();
  }
  return { password, isNew: found === undefined };
}

async function scopesAfter(trx: Executor, email: string): Promise<string> {
  const user = await findUserByEmail(trx, email);
  if (user?.kind === 'member') throw new Error(`the user ${email} is a member and not staff`);
  return [...new Set([...storedScopes(user?.scopes ?? ''), ...managementScopes])].join(' ');
}
