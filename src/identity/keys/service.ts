import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type SigningKeyService,
  SigningKeyState,
} from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { fail } from '../../base/errors/errors.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { Database, SigningAlgorithm, SigningKeyRow } from '../../storage/schema/schema.ts';
import { type KeyState, keyStateAt, readyTime } from './lifecycle.ts';
import { generateSigningKey } from './signing-key.ts';
import {
  activateKey,
  applyKeyStep,
  insertNewKey,
  keyStepActions,
  keyStepTarget,
  revokeKey,
} from './state-changes.ts';
import {
  findPublishedKeys,
  findSigningKey,
  findSigningKeys,
  lockSigningKeys,
  signingKeyList,
} from './store.ts';

const publishedMax = 20;

export type SigningKeyOptions = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly auditLog: AuditLog;
  readonly now: Clock;
};

export function createSigningKeyService(
  options: SigningKeyOptions,
): ServiceImpl<typeof SigningKeyService> {
  const { db, masterKey, auditLog, now } = options;
  const answer = (row: SigningKeyRow) => ({ signingKey: keyMessage(row, now()) });

  return {
    async listSigningKeys(request, { signal }) {
      const query = parseListRequest(request, signingKeyList.sorts, signal);
      const { rows, ...page } = await findSigningKeys(db, query);
      return { signingKeys: rows.map((row) => keyMessage(row, now())), ...page };
    },

    async createSigningKey({ alg }, context) {
      // The bounds of the field admit no other value.
      const key = await generateSigningKey(masterKey, (alg || 'EdDSA') as SigningAlgorithm);
      return auditLog.create(context, { target: key.kid }, async (trx) => {
        await lockSigningKeys(trx);
        const keys = await findPublishedKeys(trx);
        if (keys.filter((one) => keyStateAt(one, now()) !== 'removed').length >= publishedMax) {
          throw fail(
            'conflict',
            `At most ${publishedMax} keys can be published. Revoke one first.`,
          );
        }
        return answer(await insertNewKey(trx, key, 'pending', now()));
      });
    },

    async activateSigningKey({ kid, force }, context) {
      const row = await auditLog.change(context, { target: kid }, async (trx) => {
        await lockSigningKeys(trx);
        return activateKey(trx, kid, { force, now: now() });
      });
      return answer(row);
    },

    async revokeSigningKey({ kid }, context) {
      const spare = await generateSigningKey(masterKey, (await findSigningKey(db, kid))?.alg);
      const row = await auditLog.change(context, { target: kid }, async (trx, also) => {
        await lockSigningKeys(trx);
        const { revoked, step } = await revokeKey(trx, kid, now());
        if (step !== undefined) {
          await applyKeyStep(trx, step, { spare, now: now() });
          also(keyStepActions[step.kind], keyStepTarget(step, spare));
        }
        return revoked;
      });
      return answer(row);
    },
  };
}

const states: Record<KeyState, SigningKeyState> = {
  pending: SigningKeyState.PENDING,
  active: SigningKeyState.ACTIVE,
  retired: SigningKeyState.RETIRED,
  removed: SigningKeyState.REMOVED,
  revoked: SigningKeyState.REVOKED,
};

function keyMessage(row: SigningKeyRow, now: number) {
  return {
    kid: row.kid,
    alg: row.alg,
    state: states[keyStateAt(row, now)],
    createTime: timestampFromMs(row.create_time),
    readyTime: timestampFromMs(readyTime(row)),
    ...timeOf('activateTime', row.activate_time),
    ...timeOf('retireTime', row.retire_time),
    ...timeOf('removeTime', row.remove_time),
    ...timeOf('revokeTime', row.revoke_time),
  };
}

function timeOf<N extends string>(name: N, time: number | null) {
  return time === null ? {} : { [name]: timestampFromMs(time) };
}
