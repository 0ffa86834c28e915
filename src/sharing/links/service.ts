import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type LinkService,
  type LinkViewSchema,
  UpdateLinkRequestSchema,
} from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { readExpireTime } from '../../api/expire-time.ts';
import { printableName } from '../../api/names.ts';
import { isUser, principalOf } from '../../api/principal.ts';
import { readUpdate } from '../../api/update-mask.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random, randomText } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import type { Passwords } from '../../credentials/passwords.ts';
import { isForeignKeyViolation } from '../../storage/database.ts';
import { findVersion } from '../../storage/document-versions.ts';
import type { ListPage } from '../../storage/list.ts';
import { type ListRequest, parseListRequest } from '../../storage/list-request.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { linkNotFound } from './links.ts';
import {
  changesGate,
  checkOptions,
  fieldsAt,
  impliedBy,
  linkMessage,
  readListOptions,
} from './options.ts';
import { checkLinkPassword } from './password-rules.ts';
import {
  findLink,
  findLinkedDocuments,
  findLinks,
  insertLink,
  type LinkChange,
  linkList,
  revokeLink,
  updateLink,
} from './store.ts';

type LinkViews = {
  list(
    scope: { readonly column: 'link_id'; readonly id: string; readonly version: number },
    request: ListRequest,
    signal: AbortSignal,
  ): Promise<ListPage<MessageInitShape<typeof LinkViewSchema>>>;
};

export type LinkOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly quotas: Quotas;
  readonly documents: Documents;
  readonly views: LinkViews;
  readonly passwords: Passwords;
  readonly forgetViews: (trx: Executor, linkId: string) => Promise<void>;
  readonly publicUrl: string;
  readonly random: Random;
  readonly now: Clock;
};

export function createLinkService(options: LinkOptions): ServiceImpl<typeof LinkService> {
  const { db, auditLog, quotas, documents, views, passwords, publicUrl, random, now } = options;

  /** Returns null for an empty password, which removes the protection. */
  async function hashOf(password: string, workspaceId: string): Promise<string | null> {
    if (password === '') return null;
    checkLinkPassword(password);
    return passwords.hash(password, { kind: 'links', owner: [workspaceId, ''] });
  }

  async function existing(workspaceId: string, id: string): Promise<LinkRow> {
    const row = await findLink(db, workspaceId, id);
    if (row === undefined) throw linkNotFound();
    return row;
  }

  async function messagesOf(rows: readonly LinkRow[], trx: Executor = db) {
    const documents = await findLinkedDocuments(trx, rows);
    return rows.map((row) => linkMessage(row, documents.get(row.id), publicUrl));
  }

  /** Throws `invalid_argument` if the version that the link shows does not exist. */
  async function requireVersion(trx: Executor, row: LinkRow): Promise<void> {
    const { document_id, pinned_version: version } = row;
    if (version === null || (await findVersion(trx, document_id, version)) !== undefined) return;
    throw invalid('pinned_version', 'must be a version of the document');
  }

  async function answer(row: LinkRow, trx: Executor = db) {
    const [link] = await messagesOf([row], trx);
    return link === undefined ? {} : { link };
  }

  return {
    async createLink(request, context) {
      const workspaceId = workspaceOf(context);
      const { emailRequired, emailVerificationRequired } = request;
      const expireTime = readExpireTime(request.expireTime, now());
      const caller = principalOf(context);
      const lists = readListOptions(request);
      const row: LinkRow = {
        id: newId('lnk', random),
        slug: randomText(random),
        workspace_id: workspaceId,
        document_id: request.documentId,
        name: printableName(request.name),
        email_required: emailRequired ? 1 : 0,
        email_verification_required: emailVerificationRequired ? 1 : 0,
        password_hash: null,
        allow_download: request.allowDownload ? 1 : 0,
        gate_revision: 1,
        create_time: now(),
        expire_time: expireTime,
        revoke_time: null,
        view_count: 0,
        ...lists,
        ...impliedBy(lists),
        notify_from: 0,
        creator_id: isUser(caller) ? caller.userId : null,
        pinned_version: request.pinnedVersion || null,
      };
      checkOptions(row, Object.keys(row));
      await documents.require(workspaceId, request.documentId);
      row.password_hash = await hashOf(request.password, workspaceId);
      const insert = async (trx: Executor) => {
        await quotas.add(trx, workspaceId, { links: 1 });
        if (!(await insertLink(trx, row))) throw noSuchDocument();
        await requireVersion(trx, row);
        return answer(row, trx);
      };
      const create = () => auditLog.create(context, { target: row.id }, insert);
      return quotas.inTurn(workspaceId, create).catch((error: unknown) => {
        // The document was deleted during this call.
        throw isForeignKeyViolation(error) ? noSuchDocument() : error;
      });
    },

    async listLinks(request, context) {
      const query = parseListRequest(request, linkList.sorts, context.signal);
      const filter = { workspaceId: workspaceOf(context), documentId: request.documentId };
      const { rows, ...page } = await findLinks(db, filter, query);
      return { links: await messagesOf(rows), ...page };
    },

    async getLink({ linkId }, context) {
      return answer(await existing(workspaceOf(context), linkId));
    },

    async updateLink(request, context) {
      const fields = fieldsAt(now());
      const update = readUpdate(UpdateLinkRequestSchema, request, fields);
      const { paths } = update;
      const change: LinkChange = { ...impliedBy(update.change), ...update.change };
      const key = { workspaceId: workspaceOf(context), id: request.linkId };
      if (paths.includes('password')) {
        await existing(key.workspaceId, key.id);
        change.password_hash = await hashOf(request.password, key.workspaceId);
      }
      const pins = paths.includes('pinned_version');
      const link = await auditLog.change(context, { target: key.id }, async (trx) => {
        // The deletion of a version locks the usage, too.
        if (pins) await quotas.lock(trx, key.workspaceId);
        const changed = await updateLink(trx, key, change, changesGate(paths));
        const row = await findLink(trx, key.workspaceId, key.id);
        if (row === undefined) throw linkNotFound();
        if (!changed) throw fail('conflict', 'The link was revoked.');
        checkOptions(row, paths);
        if (pins) await requireVersion(trx, row);
        if (paths.includes('notify')) await options.forgetViews(trx, row.id);
        return row;
      });
      return answer(link);
    },

    async revokeLink({ linkId }, context) {
      const row = await existing(workspaceOf(context), linkId);
      await auditLog.change(context, { target: row.id }, (trx) => revokeLink(trx, row.id, now()));
      return {};
    },

    async listLinkViews(request, context) {
      const link = await existing(workspaceOf(context), request.linkId);
      const scope = { column: 'link_id', id: link.id, version: request.version } as const;
      const { rows, ...page } = await views.list(scope, request, context.signal);
      return { views: rows, ...page };
    },
  };
}

const noSuchDocument = () => fail('not_found', 'The workspace has no such document.');
