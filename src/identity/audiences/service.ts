import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, type ServiceImpl } from '@connectrpc/connect';
import {
  type AudienceService,
  UpdateAudienceRequestSchema,
} from '../../../gen/latchkey/identity/v1/audience_pb.js';
import { printableName } from '../../api/names.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { isUniqueViolation } from '../../storage/database.ts';
import { parseListRequest } from '../../storage/list-request.ts';
import { lockRow } from '../../storage/row-locks.ts';
import type { AudienceRow, Database, Executor } from '../../storage/schema.ts';
import {
  type AudienceChange,
  audienceList,
  deleteAudience,
  findAudience,
  findAudiences,
  insertAudience,
  isAudienceUsed,
  lockAudienceCount,
  updateAudience,
} from './store.ts';

export type AudienceOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly random: Random;
  readonly now: Clock;
};

const audiencesMax = 1_000;

export function createAudienceService(
  options: AudienceOptions,
): ServiceImpl<typeof AudienceService> {
  const { db, auditLog, random, now } = options;
  return {
    async createAudience({ identifier, name }, context) {
      const id = newId('aud', random);
      const row = { id, identifier, name: printableName(name), create_time: now() };
      return auditLog.create(context, { target: id }, async (trx) => {
        if ((await lockAudienceCount(trx)) >= audiencesMax) {
          throw fail('conflict', `There are already ${audiencesMax} audiences.`);
        }
        await insertAudience(trx, row).catch(refuseDuplicate);
        return { audience: audienceMessage(row) };
      });
    },

    async getAudience({ audienceId }) {
      const row = await findAudience(db, audienceId);
      if (row === undefined) throw noSuchAudience();
      return { audience: audienceMessage(row) };
    },

    async listAudiences(request, { signal }) {
      const query = parseListRequest(request, audienceList.sorts, signal);
      const { rows, ...page } = await findAudiences(db, query);
      return { audiences: rows.map(audienceMessage), ...page };
    },

    async updateAudience(request, context) {
      const { paths, change } = readUpdate(UpdateAudienceRequestSchema, request, updateFields);
      const { audienceId } = request;
      const row = await auditLog.change(context, { target: audienceId }, async (trx) => {
        const before = await locked(trx, audienceId);
        if (paths.length > 0) await updateAudience(trx, audienceId, change);
        return { ...before, ...change };
      });
      return { audience: audienceMessage(row) };
    },

    async deleteAudience({ audienceId }, context) {
      await auditLog.change(context, { target: audienceId }, async (trx) => {
        await locked(trx, audienceId);
        if (await isAudienceUsed(trx, audienceId)) {
          throw fail('conflict', 'A client or a customer has the audience.');
        }
        await deleteAudience(trx, audienceId);
      });
      return {};
    },
  };
}

const noSuchAudience = () => fail('not_found', 'The audience does not exist.');

async function locked(trx: Executor, id: string): Promise<AudienceRow> {
  const row = await lockRow(trx, 'audiences', 'id', id);
  if (row === undefined) throw noSuchAudience();
  return row;
}

/** The fields that an update can change, by their path in the mask. */
const updateFields: UpdateFields<typeof UpdateAudienceRequestSchema, AudienceChange> = {
  name: ({ name }) => {
    if (name === '') throw invalid('name', 'is required');
    return { name: printableName(name) };
  },
};

function refuseDuplicate(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  const detail = 'Another audience has this identifier.';
  throw fail('conflict', detail, { grpc: Code.AlreadyExists });
}

function audienceMessage({ id, identifier, name, create_time }: AudienceRow) {
  return { id, identifier, name, createTime: timestampFromMs(create_time) };
}
