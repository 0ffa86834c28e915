// Recovery codes: each one replaces a code of the authenticator app once. 80 random bits in
// Crockford's base32, so a fast hash is enough.
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { digestOf } from '../../base/crypto/credential-format.ts';
import type { Random } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import type { UserOptions } from './factor-methods.ts';
import { findSeed, replaceRecoveryCodes } from './store.ts';
import { lockUser } from './users.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 16;
const count = 10;

function generateRecoveryCode(random: Random): string {
  const text = [...random(length)].map((byte) => alphabet.charAt(byte % 32)).join('');
  return text.replace(/.{4}(?=.)/g, '$&-');
}

/** Undefined for other texts. Accepts any letter case, grouping, and similar letters. */
export function recoveryCodeDigest(userId: string, text: string): string | undefined {
  const code = text.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  const isWellFormed = code.length === length && [...code].every((one) => alphabet.includes(one));
  return isWellFormed ? digestOf(JSON.stringify([userId, code])) : undefined;
}

export type RecoveryCodeDigest = typeof recoveryCodeDigest;

export function createRecoveryCodeMethods({
  auditLog,
  securityNotices,
  requireFactor,
  random,
}: UserOptions): Pick<ServiceImpl<typeof UserService>, 'createRecoveryCodes'> {
  return {
    async createRecoveryCodes({ userId }, context: HandlerContext) {
      const codes = Array.from({ length: count }, () => generateRecoveryCode(random));
      const digests = codes.map((code) => recoveryCodeDigest(userId, code) ?? '');
      let email = '';
      const answer = await auditLog.create(context, { target: userId }, async (trx) => {
        // Sign-ins and changes of the factors wait for this lock.
        ({ email } = await lockUser(trx, userId));
        await requireFactor(trx, context, userId);
        const seed = await findSeed(trx, userId);
        if (seed === undefined || seed.confirm_time === null) throw noSecondFactor();
        await replaceRecoveryCodes(trx, userId, digests);
        return { codes };
      });
      securityNotices.send(context, 'recoveryCodes', { id: userId, email });
      return answer;
    },
  };
}

const noSecondFactor = () =>
  fail('not_found', 'The user has no second factor. Set up an authenticator app first.');
