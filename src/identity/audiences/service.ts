import type { ServiceImpl } from '@connectrpc/connect';
import {
  type AudienceService,
  UpdateAudienceRequestSchema,
} from '../../../gen/latchkey/identity/v1/audience_pb.js';
import {
  createdColumns,
  externalIdChange,
  requireEtag,
  resourceFields,
  touched,
} from '../../api/etag.ts';
import { printableName, requiredName } from '../../api/fields.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { nameCreator, nameCreators } from '../../audit/names/creators.ts';
import { newId } from '../../base/crypto/ids.ts';
import { fail, requireFound } from '../../base/errors/errors.ts';
import { refuseDuplicateWith } from '../../storage/duplicates.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { AudienceRow, SigningAlgorithm } from '../../storage/schema/schema.ts';
import type { AudienceKeys } from '../keys/audience-keys.ts';
import {
  type AudienceChange,
  audienceList,
  deleteAudience,
  findAudience,
  findAudiences,
  insertAudience,
  isAudienceUsed,
  lockAudience,
  requireFewAudiences,
  updateAudience,
} from './store.ts';

export type AudienceOptions = ManagementOptions & { readonly keys: AudienceKeys };

const noun = 'audience';

export function createAudienceService(
  options: AudienceOptions,
): ServiceImpl<typeof AudienceService> {
  const { db, auditLog, keys, random, now } = options;
  return {
    async createAudience(request, context) {
      const { identifier, name, signingAlg } = request;
      const id = newId('aud', random);
      const signing_alg = algorithmOf(signingAlg);
      const fields = { identifier, name: printableName(name), signing_alg };
      const creator_id = principalId(principalOf(context));
      const row = { id, ...fields, ...createdColumns(request, now()), creator_id };
      const createFirstKey = await keys.prepare(signing_alg);
      return auditLog.create(context, { target: id }, async (trx, also) => {
        await requireFewAudiences(trx);
        await createFirstKey(trx, also);
        await insertAudience(trx, row).catch(refuseDuplicate);
        return { audience: audienceMessage(row) };
      });
    },

    async getAudience({ audienceId }, context) {
      const row = requireFound(await findAudience(db, audienceId), noun);
      return { audience: await nameCreator(db, context, audienceMessage(row)) };
    },

    async listAudiences(request, context) {
      const query = parseListRequest(request, audienceList.sorts, context.signal);
      const { rows, ...page } = await findAudiences(db, query, request);
      return { audiences: await nameCreators(db, context, rows.map(audienceMessage)), ...page };
    },

    async updateAudience(request, context) {
      const { change } = readUpdate(UpdateAudienceRequestSchema, request, updateFields);
      const { audienceId } = request;
      const row = await auditLog.change(context, { target: audienceId }, async (trx) => {
        const before = requireFound(await lockAudience(trx, audienceId), noun);
        requireEtag(context, request, before);
        const { signing_alg } = change;
        if (signing_alg !== undefined && signing_alg !== before.signing_alg) {
          await keys.requireActive(trx, signing_alg);
        }
        const changed = { ...change, ...touched(before, change, now()) };
        await updateAudience(trx, audienceId, changed).catch(refuseDuplicate);
        return { ...before, ...changed };
      });
      return { audience: audienceMessage(row) };
    },

    async deleteAudience({ audienceId }, context) {
      await auditLog.change(context, { target: audienceId }, async (trx) => {
        requireEtag(context, {}, requireFound(await lockAudience(trx, audienceId), noun));
        if (await isAudienceUsed(trx, audienceId)) {
          throw fail('conflict', 'A client or a customer has the audience.');
        }
        await deleteAudience(trx, audienceId);
      });
      return {};
    },
  };
}

const updateFields: UpdateFields<typeof UpdateAudienceRequestSchema, AudienceChange> = {
  name: ({ name }) => ({ name: requiredName(name) }),
  signing_alg: ({ signingAlg }) => ({ signing_alg: algorithmOf(signingAlg) }),
  external_id: externalIdChange,
};

/** The bounds of the field admit no other value. */
const algorithmOf = (text: string) => (text || 'EdDSA') as SigningAlgorithm;

const refuseDuplicate = refuseDuplicateWith('Another audience has this identifier.');

function audienceMessage(row: AudienceRow) {
  const { id, identifier, name, signing_alg: signingAlg } = row;
  const creator = row.creator_id ?? '';
  return { id, identifier, name, signingAlg, creator, ...resourceFields(row) };
}
