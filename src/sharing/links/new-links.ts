// Creating links: one, or one for each recipient.

import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type {
  BatchCreateLinksRequest,
  CreateLinkRequest,
  LinkService,
} from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { printableName, readExpireTime } from '../../api/fields.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random, randomText } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { isForeignKeyViolation } from '../../storage/database.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema/schema.ts';
import type { Agreements } from '../agreements/agreements.ts';
import type { Documents } from '../documents/documents.ts';
import type { Folders } from '../folders/folders.ts';
import { findVersion } from '../queries/document-versions.ts';
import { readEntryRules } from '../queries/entry-rules.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { inBatch } from './batches.ts';
import type { LinkMessages } from './link-messages.ts';
import {
  checkOptions,
  impliedBy,
  readAgreement,
  readListOptions,
  storeEntryRules,
} from './options.ts';
import { type HashLinkPassword, hashEqualOnce } from './password-rules.ts';
import {
  checkMailMessage,
  checkRecipient,
  createMailboxCheck,
  type RecipientMails,
  readRecipient,
} from './recipients.ts';
import { findEntryIds, insertLink } from './store.ts';

export type NewLinkOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly quotas: Quotas;
  readonly documents: Documents;
  readonly folders: Pick<Folders, 'require'>;
  readonly messages: LinkMessages;
  readonly hashPassword: HashLinkPassword;
  readonly recipientMails: RecipientMails;
  readonly agreements: Pick<Agreements, 'storeText'>;
  readonly random: Random;
  readonly now: Clock;
};

/** Adds the position of a request of a batch to the fields of its errors: see `inBatch`. */
type InRequest = <T>(index: number, work: () => Promise<T>, own?: string) => Promise<T>;

type NewLinkMethods = Pick<ServiceImpl<typeof LinkService>, 'createLink' | 'batchCreateLinks'>;

export function createNewLinkMethods(options: NewLinkOptions): NewLinkMethods {
  const { db, auditLog, quotas, documents, folders, messages, hashPassword } = options;
  const { recipientMails, agreements } = options;
  const { random, now } = options;

  /** Throws `not_found` if the workspace has no such document or folder. */
  async function requireTarget({ workspace_id, document_id, folder_id }: LinkRow): Promise<void> {
    if (document_id !== null) await documents.require(workspace_id, document_id);
    else await folders.require(db, workspace_id, folder_id ?? '');
  }

  /** Returns the row without the hash of its password. Throws `invalid_argument`. */
  function readRow(request: CreateLinkRequest, context: HandlerContext): LinkRow {
    requireOneTarget(request);
    const recipient = readRecipient(request.recipient, request.mailRecipient);
    checkMailMessage(request);
    const isForOne = recipient !== '' && request.allowList.length === 0;
    const lists = readListOptions(isForOne ? { ...request, allowList: [recipient] } : request);
    const agreement = { agreement_sha256: readAgreement(request.agreement) };
    const row: LinkRow = {
      id: newId('lnk', random),
      slug: randomText(random),
      workspace_id: workspaceOf(context),
      document_id: request.documentId || null,
      folder_id: request.folderId || null,
      entry_rules: storeEntryRules(request.entryRules),
      name: request.name === '' ? recipient : printableName(request.name),
      email_required: request.emailRequired ? 1 : 0,
      email_verification_required: request.emailVerificationRequired ? 1 : 0,
      password_hash: null,
      allow_download: request.allowDownload ? 1 : 0,
      gate_revision: 1,
      create_time: now(),
      update_time: null,
      expire_time: readExpireTime(request.expireTime, now()),
      revoke_time: null,
      view_count: 0,
      ...lists,
      ...agreement,
      ...impliedBy({ ...lists, ...agreement }),
      notify_from: 0,
      creator_id: principalId(principalOf(context)),
      pinned_version: request.pinnedVersion || null,
      view_limit: request.viewLimit ?? null,
      recipient,
      watermark: request.watermark ? 1 : 0,
      program_access: request.programAccess ? 1 : 0,
    };
    checkOptions(row, Object.keys(row));
    checkRecipient(row);
    return row;
  }

  function insertAll<T extends object>(
    context: HandlerContext,
    rows: readonly LinkRow[],
    requests: readonly CreateLinkRequest[],
    answer: (trx: Executor) => Promise<T>,
    inRequest: InRequest = (_, work) => work(),
  ): Promise<T> {
    const workspaceId = workspaceOf(context);
    const mailed = rows.flatMap((link, i) => {
      const request = requests[i];
      return request?.mailRecipient === true ? [{ link, message: request.mailMessage }] : [];
    });
    const texts = new Map(
      rows.map((row, i) => [row.agreement_sha256, requests[i]?.agreement ?? '']),
    );
    const insert = async (trx: Executor) => {
      await quotas.add(trx, workspaceId, { links: rows.length });
      for (const [i, row] of rows.entries()) {
        const work = async () => {
          const isInserted = await insertLink(trx, row).catch((error: unknown) => {
            // The document or folder was deleted during this call.
            throw isForeignKeyViolation(error) ? noSuchTarget(row) : error;
          });
          if (!isInserted) throw noSuchTarget(row);
          await requireVersion(trx, row);
          await requireEntries(trx, row);
        };
        await inRequest(i, work, targetFieldOf(row));
      }
      for (const [sha256, text] of texts) await agreements.storeText(trx, { sha256, text });
      if (mailed.length > 0) await recipientMails.add(trx, mailed);
      return answer(trx);
    };
    const [target, ...others] = rows.map(({ id }) => id);
    if (target === undefined) throw new Error('there is no link to create');
    const create = () => auditLog.create(context, { target: [target, ...others] }, insert);
    return quotas.inTurn(workspaceId, create).catch((error: unknown) => {
      // The workspace was deleted during this call.
      throw isForeignKeyViolation(error) ? noSuchTarget(rows[0]) : error;
    });
  }

  return {
    async createLink(request, context) {
      const row = readRow(request, context);
      await requireTarget(row);
      row.password_hash = await hashPassword(request.password, context);
      return insertAll(context, [row], [request], (trx) => messages.answer(row, trx));
    },

    async batchCreateLinks(batch, context) {
      const requests = withSharedTexts(batch);
      const workspaceId = workspaceOf(context);
      const known = new Set<string>();
      const checkMailbox = createMailboxCheck();
      const found = new Set<string>();
      const hashOnce = hashEqualOnce(hashPassword);
      const rows: LinkRow[] = [];
      const inRequest: InRequest = (i, work, own) => inBatch(`requests[${i}]`, work, own);
      for (const [i, request] of requests.entries()) {
        // Each password takes a slow hash.
        context.signal.throwIfAborted();
        const row = await inRequest(i, async () => {
          const read = readRow(request, context);
          if (read.recipient === '') throw invalid('recipient', 'must be set');
          if (request.mailRecipient) checkMailbox(read.recipient);
          if (known.has(read.recipient)) throw invalid('recipient', 'must be in only one request');
          if (request.workspaceId !== '' && request.workspaceId !== workspaceId) {
            throw invalid('workspace_id', 'must be the workspace of the call');
          }
          return read;
        });
        if (!found.has(targetIdOf(row))) {
          await inRequest(i, () => requireTarget(row), targetFieldOf(row));
        }
        row.password_hash = await inRequest(i, () => hashOnce(request.password, context));
        known.add(row.recipient);
        found.add(targetIdOf(row));
        rows.push(row);
      }
      const answer = async (trx: Executor) => ({ links: await messages.all(rows, trx) });
      return insertAll(context, rows, requests, answer, inRequest);
    },
  };
}

/** Throws `invalid_argument` if the version that the link shows does not exist. */
export async function requireVersion(trx: Executor, row: LinkRow): Promise<void> {
  const { document_id, pinned_version: version } = row;
  if (version === null || document_id === null) return;
  if ((await findVersion(trx, document_id, version)) !== undefined) return;
  throw invalid('pinned_version', 'must be a version of the document');
}

/**
 * Throws `invalid_argument` if a rule of the link is for an entry that does not exist. A rule that
 * the link had `before` may stay: its entry may be deleted.
 */
export async function requireEntries(trx: Executor, row: LinkRow, before = ''): Promise<void> {
  const ids = readEntryRules(row.entry_rules).map(({ id }) => id);
  const known = new Set(await findEntryIds(trx, row.workspace_id, ids));
  for (const { id } of readEntryRules(before)) known.add(id);
  const missing = ids.findIndex((id) => !known.has(id) || id === row.folder_id);
  if (missing === -1) return;
  const field = ids[missing]?.startsWith('fld_') === true ? 'folder_id' : 'document_id';
  throw invalid(`entry_rules[${missing}].${field}`, 'must be the id of an entry of the workspace');
}

/** Adds the texts of the batch to the requests without their own. Throws `invalid_argument`. */
function withSharedTexts(batch: BatchCreateLinksRequest): readonly CreateLinkRequest[] {
  const { agreement, mailMessage } = batch;
  readAgreement(agreement);
  const mailRecipient = batch.requests.some((request) => request.mailRecipient);
  checkMailMessage({ mailRecipient, mailMessage });
  return batch.requests.map((request) => ({
    ...request,
    agreement: request.agreement || agreement,
    mailMessage: request.mailMessage || (request.mailRecipient ? mailMessage : ''),
  }));
}

function requireOneTarget({ documentId, folderId }: CreateLinkRequest): void {
  if (documentId === '' && folderId === '') {
    throw invalid('document_id', 'is required, unless folder_id is set');
  }
  if (documentId !== '' && folderId !== '') {
    throw invalid('folder_id', 'must not be set together with document_id');
  }
}

const targetIdOf = ({ document_id, folder_id }: LinkRow) => document_id ?? folder_id ?? '';

const targetFieldOf = ({ document_id }: LinkRow) =>
  document_id === null ? '.folder_id' : '.document_id';

const noSuchTarget = (row: LinkRow | undefined) =>
  fail(
    'not_found',
    `The workspace has no such ${row?.document_id === null ? 'folder' : 'document'}.`,
  );
