// The erasure of a person in this module.
import { randomUUID } from 'node:crypto';
import { withoutRequestAddress } from '../../audit/approval-reason.ts';
import { pseudonymOf } from '../../storage/queries/erased-addresses.ts';
import { findUserRow, findUserRowByEmail } from '../../storage/queries/users.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { ownedRows, type Purge, type PurgeStep } from '../../storage/upkeep/purge.ts';

/**
 * The IP addresses in events by the person, and in events about sign-ins of the person. A refused
 * sign-in with a passkey names the passkey.
 */
const eraseFromEvents =
  (column: 'actor_id' | 'target'): PurgeStep =>
  async (trx, id, limit) => {
    const user = await findUserRow(trx, id);
    const passkeys = await trx
      .selectFrom('passkeys')
      .select('id')
      .where('user_id', '=', id)
      .execute();
    const rows = await trx
      .selectFrom('audit_events')
      .select(['id', 'reason'])
      .where(column, 'in', [id, ...passkeys.map((passkey) => passkey.id)])
      .where(
        column === 'target' ? 'actor_type' : 'actor_id',
        '=',
        column === 'target' ? 'anonymous' : id,
      )
      .where('address', '<>', '')
      .limit(limit)
      .execute();
    if (rows.length === 0) return 0;
    const ids = rows.map((row) => row.id);
    await trx.updateTable('audit_events').set({ address: '' }).where('id', 'in', ids).execute();
    for (const { id: eventId, reason } of rows) {
      if (user === undefined) continue;
      const erased = withoutRequestAddress(reason.replaceAll(user.email, pseudonymOf(id)));
      if (erased === reason) continue;
      const change = { reason: erased };
      await trx.updateTable('audit_events').set(change).where('id', '=', eventId).execute();
    }
    return rows.length;
  };

const secretsAndSessions = [
  ownedRows('sessions', 'user_id', 'id'),
  ownedRows('passkeys', 'user_id', 'id'),
  ownedRows('user_identities', 'user_id', 'id'),
  ownedRows('totp_seeds', 'user_id', 'user_id'),
  ownedRows('recovery_codes', 'user_id', 'digest'),
  ownedRows('password_resets', 'user_id', 'id'),
  ownedRows('recovery_passwords', 'user_id', 'user_id'),
];

/** `sharedSteps` erase the person in the other module. The row stays, without a name. */
export const userPurge = (sharedSteps: readonly PurgeStep[]): Purge => ({
  table: 'users',
  steps: [
    ...sharedSteps,
    // Before the passkeys that events name.
    eraseFromEvents('actor_id'),
    eraseFromEvents('target'),
    ...secretsAndSessions,
  ],
  async finish(trx: Executor, id: string) {
    const taken = await findUserRowByEmail(trx, pseudonymOf(id));
    // A caller may have created a user with this address, so that the erasure fails.
    const email = taken === undefined ? pseudonymOf(id) : pseudonymOf(`${id}.${randomUUID()}`);
    const erased = { email, name: 'Deleted user', password_hash: '', scopes: '' };
    await trx
      .updateTable('users')
      .set({ ...erased, delete_time: null, purge_position: null })
      .where('id', '=', id)
      .execute();
  },
});
