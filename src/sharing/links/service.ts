import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type LinkService,
  type LinkViewSchema,
  UpdateLinkRequestSchema,
} from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { readUpdate } from '../../api/update-mask.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { nameCreator } from '../../audit/names/creators.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Passwords } from '../../credentials/passwords.ts';
import type { ListPage } from '../../storage/list.ts';
import { type ListRequest, parseListRequest } from '../../storage/list-request.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema.ts';
import type { Agreements } from '../agreements/agreements.ts';
import type { Documents } from '../documents/documents.ts';
import type { Folders } from '../folders/folders.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { createLinkMessages } from './link-messages.ts';
import { linkNotFound } from './links.ts';
import { createNewLinkMethods, requireEntries, requireVersion } from './new-links.ts';
import { changesGate, checkOptions, fieldsAt, impliedBy } from './options.ts';
import { createLinkPasswordHash } from './password-rules.ts';
import type { RecipientMails } from './recipients.ts';
import { findLink, findLinks, type LinkChange, linkList, revokeLink, updateLink } from './store.ts';

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
  readonly folders: Pick<Folders, 'require'>;
  readonly views: LinkViews;
  readonly passwords: Passwords;
  readonly recipientMails: RecipientMails;
  readonly agreements: Agreements;
  /** Forgets the views that the creator of a link has not been mailed about. */
  readonly forgetViews: (trx: Executor, linkId: string) => Promise<void>;
  readonly publicUrl: string;
  readonly random: Random;
  readonly now: Clock;
};

export function createLinkService(options: LinkOptions): ServiceImpl<typeof LinkService> {
  const { db, auditLog, quotas, views, agreements, now } = options;
  const messages = createLinkMessages(options);
  const hashPassword = createLinkPasswordHash(options.passwords);

  async function existing(workspaceId: string, id: string): Promise<LinkRow> {
    const row = await findLink(db, workspaceId, id);
    if (row === undefined) throw linkNotFound();
    return row;
  }

  return {
    ...createNewLinkMethods({ ...options, messages, hashPassword }),

    async listLinks(request, context) {
      const query = parseListRequest(request, linkList.sorts, context.signal);
      const { documentId, folderId } = request;
      const filter = { workspaceId: workspaceOf(context), documentId, folderId };
      const { rows, ...page } = await findLinks(db, filter, query);
      return { links: await messages.all(rows), ...page };
    },

    async getLink({ linkId }, context) {
      const workspaceId = workspaceOf(context);
      const { link } = await messages.answer(await existing(workspaceId, linkId));
      return { link: link && (await nameCreator(db, context, link, workspaceId)) };
    },

    async updateLink(request, context) {
      const fields = fieldsAt(now());
      const update = readUpdate(UpdateLinkRequestSchema, request, fields);
      const { paths } = update;
      const change: LinkChange = { ...impliedBy(update.change), ...update.change };
      const key = { workspaceId: workspaceOf(context), id: request.linkId };
      if (paths.includes('password')) {
        await existing(key.workspaceId, key.id);
        change.password_hash = await hashPassword(request.password, key.workspaceId);
      }
      const pins = paths.includes('pinned_version');
      const run = () =>
        auditLog.change(context, { target: key.id }, async (trx) => {
          // The deletion of a version locks the usage, too.
          if (pins) await quotas.lock(trx, key.workspaceId);
          const changesRules = paths.includes('entry_rules');
          const before = changesRules ? await findLink(trx, key.workspaceId, key.id) : undefined;
          const changed = await updateLink(trx, key, change, changesGate(paths));
          const row = await findLink(trx, key.workspaceId, key.id);
          if (row === undefined) throw linkNotFound();
          if (!changed) throw fail('conflict', 'The link was revoked.');
          checkOptions(row, paths);
          const { agreement_sha256: sha256 = '' } = change;
          await agreements.storeText(trx, { sha256, text: request.agreement });
          if (pins) await requireVersion(trx, row);
          if (changesRules) await requireEntries(trx, row, before?.entry_rules);
          if (paths.includes('notify')) await options.forgetViews(trx, row.id);
          return row;
        });
      const link = pins ? await quotas.inTurn(key.workspaceId, run) : await run();
      return messages.answer(link);
    },

    async revokeLink({ linkId }, context) {
      const row = await existing(workspaceOf(context), linkId);
      await auditLog.change(context, { target: row.id }, (trx) => revokeLink(trx, row.id, now()));
      return {};
    },

    async getAgreementReceipt({ agreementId }, context) {
      return { receipt: await agreements.receiptOf(workspaceOf(context), agreementId) };
    },

    async listLinkViews(request, context) {
      const link = await existing(workspaceOf(context), request.linkId);
      const scope = { column: 'link_id', id: link.id, version: request.version } as const;
      const { rows, ...page } = await views.list(scope, request, context.signal);
      return { views: rows, ...page };
    },
  };
}
