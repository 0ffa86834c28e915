import { domainToASCII } from 'node:url';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type DomainService,
  DomainState,
  UpdateDomainRequestSchema,
} from '../../../gen/latchkey/sharing/v1/domain_pb.js';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { nameCreator, nameCreators } from '../../audit/names/creators.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random, randomText } from '../../base/crypto/ids.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { isUniqueViolation } from '../../storage/database.ts';
import { refuseDuplicateWith } from '../../storage/duplicates.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { DomainRow } from '../../storage/schema/domain-rows.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import type { Domains } from './domains.ts';
import {
  countDomains,
  domainList,
  findDomain,
  findDomains,
  insertDomain,
  removeDomain,
  setPrimary,
  verifyDomain,
} from './store.ts';
import type { ResolveTxt } from './txt-records.ts';

const domainsMax = 10;

const limits = {
  // Each attempt asks DNS servers that the workspace chooses.
  workspace: { free: 30, firstWaitMs: 10_000, waitMsMax: 10_000, forgetMs: 10_000 },
} as const satisfies Record<string, ThrottleLimit>;

export type DomainOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly workspaces: Workspaces;
  readonly domains: Pick<Domains, 'update'>;
  readonly resolveTxt: ResolveTxt;
  readonly keys: DerivedKeys;
  readonly publicUrl: string;
  readonly random: Random;
  readonly now: Clock;
};

export function createDomainService(options: DomainOptions): ServiceImpl<typeof DomainService> {
  const { db, auditLog, workspaces, domains, resolveTxt, random, now } = options;
  const ownHost = new URL(options.publicUrl).hostname;
  const throttle = createThrottle({ ...options, limits, refusal: tooMany });

  async function existing(trx: Executor, workspaceId: string, id: string): Promise<DomainRow> {
    const row = await findDomain(trx, workspaceId, id);
    if (row === undefined) throw fail('not_found', 'The workspace has no such domain.');
    return row;
  }

  /** Changes a domain while no other call changes a domain of the workspace. */
  async function changeDomain<T>(
    context: HandlerContext,
    id: string,
    work: (trx: Executor, row: DomainRow) => Promise<T>,
  ): Promise<T> {
    const workspaceId = workspaceOf(context);
    const result = await auditLog.change(context, { target: id }, async (trx) => {
      await lockRow(trx, 'workspaces', 'id', workspaceId);
      return work(trx, await existing(trx, workspaceId, id));
    });
    await domains.update();
    return result;
  }

  async function markVerified(context: HandlerContext, id: string) {
    const row = await changeDomain(context, id, async (trx, found) => {
      if (found.verify_time !== null) return found;
      const verified = { ...found, verify_time: now() };
      await verifyDomain(trx, found, verified.verify_time).catch(refuseVerified);
      return verified;
    });
    return { domain: domainMessage(row) };
  }

  return {
    async createDomain({ name }, context) {
      requireName(name, ownHost);
      const row: DomainRow = {
        ...{ id: newId('dom', random), workspace_id: workspaceOf(context), name },
        ...{ txt_value: randomText(random), is_primary: 0 },
        ...{ create_time: now(), verify_time: null },
        creator_id: principalId(principalOf(context)),
      };
      await workspaces.require(row.workspace_id);
      return auditLog.create(context, { target: row.id }, async (trx) => {
        await lockRow(trx, 'workspaces', 'id', row.workspace_id);
        if ((await countDomains(trx, row.workspace_id)) >= domainsMax) {
          throw fail('conflict', `The workspace already has ${domainsMax} domains.`);
        }
        await insertDomain(trx, row).catch(refuseDuplicate);
        return { domain: domainMessage(row) };
      });
    },

    async getDomain({ domainId }, context) {
      const workspaceId = workspaceOf(context);
      const domain = domainMessage(await existing(db, workspaceId, domainId));
      return { domain: await nameCreator(db, context, domain, workspaceId) };
    },

    async listDomains(request, context) {
      const workspaceId = workspaceOf(context);
      await workspaces.require(workspaceId);
      const query = parseListRequest(request, domainList.sorts, context.signal);
      const { rows, ...page } = await findDomains(db, workspaceId, query);
      const messages = rows.map(domainMessage);
      return { domains: await nameCreators(db, context, messages, workspaceId), ...page };
    },

    async updateDomain(request, context) {
      const { change } = readUpdate(UpdateDomainRequestSchema, request, updateFields);
      const { isPrimary } = change;
      const row = await changeDomain(context, request.domainId, async (trx, found) => {
        if (isPrimary === undefined) return found;
        if (isPrimary && found.verify_time === null) {
          throw fail('conflict', 'The domain is not verified.');
        }
        await setPrimary(trx, found, isPrimary);
        return { ...found, is_primary: isPrimary ? 1 : 0 };
      });
      return { domain: domainMessage(row) };
    },

    async verifyDomain({ domainId }, context) {
      const workspaceId = workspaceOf(context);
      const row = await existing(db, workspaceId, domainId);
      if (row.verify_time === null) {
        await throttle.count([throttle.counter('workspace', workspaceId)]);
        const texts = await resolveTxt(txtNameOf(row));
        if (!texts.includes(row.txt_value)) throw noRecord(row, texts.length > 0);
      }
      return markVerified(context, domainId);
    },

    approveDomain: ({ domainId }, context) => markVerified(context, domainId),

    async deleteDomain({ domainId }, context) {
      await changeDomain(context, domainId, (trx, row) => removeDomain(trx, row, now()));
      return {};
    },
  };
}

const updateFields: UpdateFields<
  typeof UpdateDomainRequestSchema,
  { readonly isPrimary?: boolean }
> = {
  primary: ({ primary }) => ({ isPrimary: primary }),
};

/** The bounds of the field have checked the syntax. Throws `invalid_argument`. */
function requireName(name: string, ownHost: string): void {
  if (name === '') throw invalid('name', 'is required');
  // Also refuses labels that are not valid Punycode.
  if (domainToASCII(name) !== name) throw invalid('name', 'must be a valid host name');
  if (name === ownHost || name.endsWith(`.${ownHost}`)) {
    throw invalid('name', 'must not be the host name of the service, or below it');
  }
}

const txtNameOf = ({ name }: DomainRow) => `_latchkey.${name}`;

function noRecord(row: DomainRow, hasOthers: boolean) {
  const name = txtNameOf(row);
  return fail(
    'conflict',
    hasOthers
      ? `The TXT record ${name} does not have the value ${row.txt_value}.`
      : `The TXT record ${name} does not exist. DNS changes can take some time.`,
  );
}

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many attempts to verify a domain.', { retryAfterSeconds });

const refuseDuplicate = refuseDuplicateWith('The workspace already has this domain.');

function refuseVerified(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw fail('conflict', 'Another workspace has verified this domain.');
}

function domainMessage(row: DomainRow) {
  const { VERIFIED, PENDING } = DomainState;
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    state: row.verify_time === null ? PENDING : VERIFIED,
    txtName: txtNameOf(row),
    txtValue: row.txt_value,
    primary: row.is_primary === 1,
    creator: row.creator_id ?? '',
    createTime: timestampFromMs(row.create_time),
    ...(row.verify_time === null ? {} : { verifyTime: timestampFromMs(row.verify_time) }),
  };
}
