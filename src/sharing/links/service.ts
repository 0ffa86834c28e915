import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type LinkService,
  UpdateLinkRequestSchema,
} from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { readExpireTime } from '../../api/expire-time.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../clock.ts';
import type { Passwords } from '../../credentials/passwords.ts';
import { newId, type Random, randomText } from '../../crypto/ids.ts';
import { fail, invalid } from '../../errors/errors.ts';
import { isForeignKeyViolation } from '../../storage/database.ts';
import type { ListPage } from '../../storage/list.ts';
import { type ListRequest, parseListRequest } from '../../storage/list-request.ts';
import type { Database, Executor, LinkRow, StoredView } from '../../storage/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { linkNotFound } from './links.ts';
import { checkLinkPassword } from './password-rules.ts';
import {
  findLink,
  findLinks,
  insertLink,
  type LinkChange,
  linkList,
  revokeLink,
  updateLink,
} from './store.ts';

type PageTime = { readonly page: number; readonly durationMs: number };

/** The views of a link, as ListLinkViews reads them. */
type LinkViews = {
  list(linkId: string, request: ListRequest): Promise<ListPage<StoredView>>;
  pagesOf(views: readonly StoredView[]): Promise<ReadonlyMap<string, readonly PageTime[]>>;
};

export type LinkOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly quotas: Quotas;
  readonly documents: Documents;
  readonly views: LinkViews;
  readonly passwords: Passwords;
  /** The service's own origin, for the URLs of links. */
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

  return {
    async createLink(request, context) {
      const workspaceId = workspaceOf(context);
      const { emailRequired, emailVerificationRequired } = request;
      if (emailVerificationRequired && !emailRequired) {
        throw invalid('email_verification_required', 'must be set together with email_required');
      }
      const expireTime = readExpireTime(request.expireTime, now());
      await documents.require(workspaceId, request.documentId);
      const row: LinkRow = {
        id: newId('lnk', random),
        slug: randomText(random),
        workspace_id: workspaceId,
        document_id: request.documentId,
        name: request.name,
        email_required: emailRequired ? 1 : 0,
        email_verification_required: emailVerificationRequired ? 1 : 0,
        password_hash: await hashOf(request.password, workspaceId),
        allow_download: request.allowDownload ? 1 : 0,
        gate_revision: 1,
        create_time: now(),
        expire_time: expireTime,
        revoke_time: null,
        view_count: 0,
      };
      const insert = async (trx: Executor) => {
        await quotas.add(trx, workspaceId, { links: 1 });
        if (!(await insertLink(trx, row))) throw noSuchDocument();
      };
      await auditLog.change(context, { target: row.id }, insert).catch((error: unknown) => {
        // The document was deleted during this call.
        throw isForeignKeyViolation(error) ? noSuchDocument() : error;
      });
      return { link: linkMessage(row, publicUrl) };
    },

    async listLinks(request, context) {
      const query = parseListRequest(request, linkList.sorts);
      const filter = { workspaceId: workspaceOf(context), documentId: request.documentId };
      const { rows, ...page } = await findLinks(db, filter, query);
      return { links: rows.map((row) => linkMessage(row, publicUrl)), ...page };
    },

    async getLink({ linkId }, context) {
      return { link: linkMessage(await existing(workspaceOf(context), linkId), publicUrl) };
    },

    async updateLink(request, context) {
      const fields = fieldsAt(now());
      const update = readUpdate(UpdateLinkRequestSchema, request, fields);
      const { paths } = update;
      const change: LinkChange = update.change;
      const key = { workspaceId: workspaceOf(context), id: request.linkId };
      if (paths.includes('password')) {
        await existing(key.workspaceId, key.id);
        change.password_hash = await hashOf(request.password, key.workspaceId);
      }
      const changesGate = paths.some((path) => gates.has(path));
      const link = await auditLog.change(context, { target: key.id }, async (trx) => {
        const changed = await updateLink(trx, key, change, changesGate);
        const row = await findLink(trx, key.workspaceId, key.id);
        if (row === undefined) throw linkNotFound();
        if (!changed) throw fail('conflict', 'The link was revoked.');
        requireEmailForVerification(row, paths);
        return row;
      });
      return { link: linkMessage(link, publicUrl) };
    },

    async revokeLink({ linkId }, context) {
      const row = await existing(workspaceOf(context), linkId);
      await auditLog.change(context, { target: row.id }, (trx) => revokeLink(trx, row.id, now()));
      return {};
    },

    async listLinkViews(request, context) {
      const link = await existing(workspaceOf(context), request.linkId);
      const { rows, ...page } = await views.list(link.id, request);
      const pages = await views.pagesOf(rows);
      return { views: rows.map((row) => viewMessage(row, pages.get(row.id))), ...page };
    },
  };
}

const noSuchDocument = () => fail('not_found', 'The workspace has no such document.');

/** Throws if verification is required but the address is not. Names the field of the update. */
function requireEmailForVerification(row: LinkRow, paths: readonly string[]): void {
  if (row.email_verification_required === 0 || row.email_required === 1) return;
  if (paths.includes('email_verification_required')) {
    throw invalid('email_verification_required', 'must be set together with email_required');
  }
  throw invalid('email_required', 'must be set together with email_verification_required');
}

/** The columns that each path of the update mask changes. */
const fieldsAt = (now: number) =>
  ({
    name: ({ name }) => ({ name }),
    email_required: ({ emailRequired }) => ({ email_required: emailRequired ? 1 : 0 }),
    allow_download: ({ allowDownload }) => ({ allow_download: allowDownload ? 1 : 0 }),
    expire_time: ({ expireTime }) => ({ expire_time: readExpireTime(expireTime, now) }),
    // The password is hashed separately, off the main thread.
    password: () => ({}),
    email_verification_required: ({ emailVerificationRequired }) => ({
      email_verification_required: emailVerificationRequired ? 1 : 0,
    }),
  }) satisfies UpdateFields<typeof UpdateLinkRequestSchema, LinkChange>;

/** Changing one of these fields ends all access sessions of the link. */
const gates = new Set(['email_required', 'password', 'email_verification_required']);

function linkMessage(row: LinkRow, publicUrl: string) {
  return {
    id: row.id,
    url: `${publicUrl}/s/${row.slug}`,
    documentId: row.document_id,
    emailRequired: row.email_required === 1,
    workspaceId: row.workspace_id,
    name: row.name,
    passwordRequired: row.password_hash !== null,
    emailVerificationRequired: row.email_verification_required === 1,
    allowDownload: row.allow_download === 1,
    viewCount: row.view_count,
    createTime: timestampFromMs(row.create_time),
    ...(row.expire_time === null ? {} : { expireTime: timestampFromMs(row.expire_time) }),
    ...(row.revoke_time === null ? {} : { revokeTime: timestampFromMs(row.revoke_time) }),
  };
}

function viewMessage(row: StoredView, pages: readonly PageTime[] = []) {
  return {
    id: row.id,
    linkId: row.link_id,
    email: row.email,
    emailVerified: row.email_verified === 1,
    createTime: timestampFromMs(row.create_time),
    durationMs: row.duration_ms,
    pages: [...pages],
    downloadCount: row.download_count,
  };
}
