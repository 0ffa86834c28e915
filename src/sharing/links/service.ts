import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import type { LinkService, LinkViewSchema } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { nameCreator } from '../../audit/names/creators.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { Passwords } from '../../credentials/passwords.ts';
import type { ListPage } from '../../storage/queries/list.ts';
import { type ListRequest, parseListRequest } from '../../storage/queries/list-request.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import type { Agreements } from '../agreements/agreements.ts';
import type { Documents } from '../documents/documents.ts';
import type { Domains } from '../domains/domains.ts';
import type { Folders } from '../folders/folders.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { createLinkChangeMethods } from './link-changes.ts';
import { createLinkMessages } from './link-messages.ts';
import { requireLink } from './links.ts';
import { findLinks, linkList } from './list/store.ts';
import { createNewLinkMethods } from './new-links.ts';
import { filterKeyOf, readLinkFilter } from './options.ts';
import { createLinkPasswordHash } from './password-rules.ts';
import type { RecipientMails } from './recipients.ts';

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
  readonly forgetViews: (trx: Executor, linkId: string) => Promise<void>;
  readonly urlOf: Domains['urlOf'];
  readonly random: Random;
  readonly now: Clock;
};

export function createLinkService(options: LinkOptions): ServiceImpl<typeof LinkService> {
  const { db, views, agreements, now } = options;
  const messages = createLinkMessages(options);
  const hashPassword = createLinkPasswordHash(options.passwords);

  return {
    ...createNewLinkMethods({ ...options, messages, hashPassword }),
    ...createLinkChangeMethods({ ...options, messages, hashPassword }),

    async listLinks(request, context) {
      const examined = readLinkFilter(request, now());
      const key = filterKeyOf(examined);
      const query = parseListRequest(request, linkList.sorts, context.signal, key);
      const { documentId, folderId } = request;
      const filter = { workspaceId: workspaceOf(context), documentId, folderId, ...examined };
      const { rows, ...page } = await findLinks(db, filter, query);
      return { links: await messages.all(rows), ...page };
    },

    async getLink({ linkId }, context) {
      const workspaceId = workspaceOf(context);
      const { link } = await messages.answer(await requireLink(db, workspaceId, linkId));
      return { link: link && (await nameCreator(db, context, link, workspaceId)) };
    },

    async getAgreementReceipt({ agreementId }, context) {
      return { receipt: await agreements.receiptOf(workspaceOf(context), agreementId) };
    },

    async listLinkViews(request, context) {
      const link = await requireLink(db, workspaceOf(context), request.linkId);
      const scope = { column: 'link_id', id: link.id, version: request.version } as const;
      const { rows, ...page } = await views.list(scope, request, context.signal);
      return { views: rows, ...page };
    },
  };
}
