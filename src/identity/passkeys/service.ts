import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { PasskeyService } from '../../../gen/latchkey/identity/v1/passkey_pb.js';
import { printableName } from '../../api/fields.ts';
import { userOf } from '../../api/principal.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { newId } from '../../base/crypto/ids.ts';
import { type Failure, fail, invalid, requireFound } from '../../base/errors/errors.ts';
import { isUniqueViolation } from '../../storage/database.ts';
import { findUserRow, lockUserRow } from '../../storage/queries/users.ts';
import type { Executor, PasskeyRow } from '../../storage/schema/schema.ts';
import type { RequireFactor } from '../factor-rules/factor-check.ts';
import type { RequireGrants } from '../users/grant-checks.ts';
import type { SecurityNotices } from '../users/security-notices.ts';
import type { AddSessionMethods } from '../users/users.ts';
import type { Challenges, Redeemed } from './challenges.ts';
import { readCredential } from './credential.ts';
import { methodsOfPasskey } from './methods.ts';
import type { PasskeyParty } from './relying-party.ts';
import { deletePasskey, findPasskeys, insertPasskey, renamePasskey } from './store.ts';

const passkeysMax = 10;

export type PasskeyOptions = ManagementOptions & {
  readonly party: PasskeyParty;
  readonly challenges: Challenges;
  readonly securityNotices: SecurityNotices;
  readonly requireToActAs: RequireGrants;
  readonly addSessionMethods: AddSessionMethods;
  readonly requireFactor: RequireFactor;
};

export function createPasskeyService(options: PasskeyOptions): ServiceImpl<typeof PasskeyService> {
  const { db, auditLog, party, challenges, securityNotices, requireToActAs } = options;
  const { addSessionMethods, requireFactor, random, now } = options;

  const requirePasskeyUser = async (executor: Executor, userId: string) =>
    requireFound(await findUserRow(executor, userId), 'user');

  return {
    async listPasskeys({ userId }) {
      await requirePasskeyUser(db, userId);
      return { passkeys: (await findPasskeys(db, userId)).map(passkeyMessage) };
    },

    async startPasskeyRegistration({ userId }, context) {
      const user = await requirePasskeyUser(db, userId);
      await requireFactor(db, context, userId);
      const known = await findPasskeys(db, userId);
      if (known.length >= passkeysMax) throw tooMany();
      const place = userOf(context).sessionId;
      const challenge = challenges.create({ purpose: 'registration', place }, userId);
      return { options: await party.registrationOptions(user, known, challenge) };
    },

    async createPasskey({ userId, name, credential }, context) {
      if (credential === undefined) throw invalid('credential', 'is required');
      printableName(name);
      readCredential(credential);
      const use = { purpose: 'registration', place: userOf(context).sessionId } as const;
      let redeemed: Redeemed | undefined;
      const created = await party
        .verifyNew(credential, (challenge) => {
          redeemed = challenges.redeem(challenge, use);
          return redeemed?.userId === userId;
        })
        .catch((cause: unknown) => {
          throw notValid(cause);
        });
      const row: PasskeyRow = {
        ...created,
        ...{ id: newId('pky', random), user_id: userId, name },
        ...{ create_time: now(), last_used_time: null },
      };
      let email = '';
      const answer = await auditLog
        .create(context, { target: row.id }, async (trx) => {
          // Other registrations of the user wait for this lock.
          email = (await lockUserRow(trx, userId))?.email ?? '';
          await requireFactor(trx, context, userId);
          if ((await findPasskeys(trx, userId)).length >= passkeysMax) throw tooMany();
          if (!(await redeemed?.settle(trx))) throw notValid();
          await insertPasskey(trx, row);
          await addSessionMethods(trx, use.place, methodsOfPasskey(row));
          return { passkey: passkeyMessage(row) };
        })
        .catch((error: unknown) => {
          if (!isUniqueViolation(error)) throw error;
          throw fail('conflict', 'The passkey was already added.');
        });
      securityNotices.send(context, 'passkeyAdded', { id: userId, email });
      return answer;
    },

    async updatePasskey({ userId, passkeyId, name }, context) {
      printableName(name);
      const row = await auditLog.change(context, { target: passkeyId }, async (trx) => {
        const renamed = await renamePasskey(trx, userId, passkeyId, name);
        if (renamed === undefined) throw noSuchPasskey();
        return renamed;
      });
      return { passkey: passkeyMessage(row) };
    },

    async deletePasskey({ userId, passkeyId }, context) {
      const user = await auditLog.change(context, { target: passkeyId }, async (trx) => {
        await requireToActAs(trx, context, userId);
        await requireFactor(trx, context, userId);
        if (!(await deletePasskey(trx, userId, passkeyId))) throw noSuchPasskey();
        return requirePasskeyUser(trx, userId);
      });
      securityNotices.send(context, 'passkeyRemoved', user);
      return {};
    },
  };
}

const passkeyMessage = (row: PasskeyRow) => ({
  id: row.id,
  name: row.name,
  synced: row.synced === 1,
  createTime: timestampFromMs(row.create_time),
  ...(row.last_used_time === null ? {} : { lastUsedTime: timestampFromMs(row.last_used_time) }),
});

function notValid(cause?: unknown): Failure {
  const detail = 'is not valid, or its options have expired or were already used';
  const fields = [{ field: 'credential', detail }];
  return fail('invalid_argument', `credential: ${detail}`, { fields, cause });
}

const noSuchPasskey = () => fail('not_found', 'The user has no such passkey.');

const tooMany = () =>
  fail('conflict', `The user already has ${passkeysMax} passkeys. Delete one first.`);
