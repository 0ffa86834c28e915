// Checks the passkey of a sign-in. Each refusal is the same error, so that it shows neither whether
// the passkey exists nor why it was refused. The audit log has the reason.
import type { JsonObject } from '@bufbuild/protobuf';
import type { Clock } from '../../base/clock.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import { findUserRow, lockUserRow } from '../../storage/queries/users.ts';
import type { Database, Executor, PasskeyRow, UserRow } from '../../storage/schema/schema.ts';
import type { Challenges, Redeemed } from './challenges.ts';
import { readCredential } from './credential.ts';
import { methodsOfPasskey } from './methods.ts';
import type { PasskeyParty } from './relying-party.ts';
import { findPasskeyByCredential, lockPasskey, recordPasskeyUse } from './store.ts';

export type CheckedPasskey = {
  readonly user: UserRow;
  readonly amr: string;
  /** The response is then accepted only once. Throws if the passkey has changed. */
  settle(trx: Executor): Promise<void>;
};

export type PasskeySignIn = {
  readonly isAvailable: boolean;
  /** Returns the options for a sign-in in this browser. `userId`: the only user; empty for any. */
  start(browserId: string, userId: string): Promise<JsonObject>;
  /** Throws `identity.credential_invalid`. */
  check(browserId: string | undefined, credential: JsonObject): Promise<CheckedPasskey>;
};

export type PasskeySignInOptions = {
  readonly db: Database;
  readonly party: PasskeyParty;
  readonly challenges: Challenges;
  readonly now: Clock;
};

export function createPasskeySignIn(options: PasskeySignInOptions): PasskeySignIn {
  const { db, party, challenges, now } = options;

  /** Throws any error for a response that does not match. */
  async function verify(place: string, credential: JsonObject, passkey: PasskeyRow) {
    let redeemed: Redeemed | undefined;
    const counter = await party.verifySignIn(credential, passkey, (challenge) => {
      redeemed = challenges.redeem(challenge, { purpose: 'sign-in', place });
      return redeemed !== undefined;
    });
    const { userId = '', settle } = redeemed ?? {};
    if (settle === undefined) throw new Error('no challenge');
    if (userId !== '' && userId !== passkey.user_id) throw new Error('another user');
    return { counter, settle };
  }

  return {
    isAvailable: party.isAvailable,

    start: (place, userId) =>
      party.signInOptions(challenges.create({ purpose: 'sign-in', place }, userId)),

    async check(place, given) {
      const { id, userHandle } = readCredential(given);
      const passkey = await findPasskeyByCredential(db, id);
      if (place === undefined || passkey === undefined) throw refusal();
      const target = passkey.id;
      if (userHandle !== Buffer.from(passkey.user_id).toString('base64url')) throw refusal(target);
      const { counter, settle } = await verify(place, given, passkey).catch((cause: unknown) => {
        throw refusal(target, { cause });
      });
      const user = await findUserRow(db, passkey.user_id);
      if (user === undefined || user.disable_time !== null) throw refusal(target);
      return {
        user,
        amr: methodsOfPasskey(passkey),
        async settle(trx) {
          const locked = await lockUserRow(trx, user.id);
          if (locked === undefined || locked.disable_time !== null) throw refusal(target);
          const current = await lockPasskey(trx, target);
          if (current === undefined || !(await settle(trx))) throw refusal(target);
          // WebAuthn §6.1.1: a counter that does not increase is a sign of a copy.
          const hasCounter = counter > 0 || current.counter > 0;
          if (hasCounter && counter <= current.counter) {
            throw refusal(target, { reason: 'the signature counter did not increase' });
          }
          await recordPasskeyUse(trx, target, { counter, last_used_time: now() });
        },
      };
    },
  };
}

const refusal = (
  target = '',
  details: { readonly reason?: string; readonly cause?: unknown } = {},
): Failure =>
  fail('identity.credential_invalid', 'The passkey was not accepted. Try again.', {
    target,
    ...details,
  });
