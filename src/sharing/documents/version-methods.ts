// The methods for the versions of a document. Every change locks the usage of the workspace first,
// so that changes of one document happen one after another.
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { DocumentService } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors/errors.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import type { StagedBlobs } from '../blobs/staged-blobs.ts';
import type { Previews } from '../previews/previews.ts';
import {
  countVersions,
  deleteVersion,
  findPreviewBlobs,
  findVersion,
  findVersions,
  insertVersion,
  isPinned,
  setCurrentVersion,
  versionList,
} from '../queries/document-versions.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { describeDocument, versionMessages } from './document-message.ts';
import {
  type Documents,
  documentNotFound,
  lockDocument,
  requireCounted,
  versionNotFound,
} from './documents.ts';
import type { DocumentKey } from './store.ts';
import type { UploadReceiver } from './uploads.ts';

const versionsMax = 100;

type Methods = Pick<
  ServiceImpl<typeof DocumentService>,
  'uploadVersion' | 'listVersions' | 'restoreVersion' | 'deleteVersion'
>;

export type VersionMethodsOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly stagedBlobs: StagedBlobs;
  readonly documents: Documents;
  readonly previews: Previews;
  readonly quotas: Quotas;
  readonly uploads: UploadReceiver;
  readonly now: Clock;
};

export function createVersionMethods(options: VersionMethodsOptions): Methods {
  const { db, auditLog, stagedBlobs, documents, previews, quotas, uploads, now } = options;

  async function answer(trx: Executor, workspaceId: string, id: string) {
    const row = await requireCounted(trx, { workspaceId, id });
    return { document: await describeDocument(trx, previews, row) };
  }

  /** Returns the versions of a document that no other call changes until the transaction ends. */
  async function lockVersions(trx: Executor, key: DocumentKey, context: HandlerContext) {
    const { workspaceId, id } = key;
    await quotas.lock(trx, workspaceId);
    await lockDocument(trx, key, context);
    const counts = await countVersions(trx, workspaceId, id);
    if (counts === undefined) throw documentNotFound();
    return counts;
  }

  function changeVersions<T>(
    context: HandlerContext,
    documentId: string,
    work: (trx: Executor) => Promise<T>,
  ): Promise<T> {
    return quotas.inTurn(workspaceOf(context), () =>
      auditLog.change(context, { target: documentId }, work),
    );
  }

  /** Refuses an upload before its bytes are read. */
  async function requireRoom(workspaceId: string, documentId: string): Promise<void> {
    const counts = await countVersions(db, workspaceId, documentId);
    if (counts === undefined) throw documentNotFound();
    if (counts.count >= versionsMax) throw tooManyVersions();
  }

  return {
    async uploadVersion(requests, context) {
      const target = { isVersion: true, quotas: ['bytes'] as const, require: requireRoom };
      const received = await uploads.receive(requests, context, target);
      const { blob, workspaceId, documentId, names, content } = received;
      const insert = async (trx: Executor) => {
        await quotas.add(trx, workspaceId, { bytes: content.size_bytes });
        const key = { workspaceId, id: documentId };
        const { count, last } = await lockVersions(trx, key, context);
        if (count >= versionsMax) throw tooManyVersions();
        const version = { document_id: documentId, version: last + 1 };
        const row = { ...version, ...content, create_time: now() };
        await insertVersion(trx, row, names.name === undefined ? {} : { name: names.name });
        return answer(trx, workspaceId, documentId);
      };
      return blob.commit((settle) =>
        quotas.inTurn(workspaceId, () =>
          auditLog.create(context, { target: documentId }, async (trx) => {
            await settle(trx);
            return insert(trx);
          }),
        ),
      );
    },

    async listVersions(request, context) {
      const { version } = await documents.require(workspaceOf(context), request.documentId);
      const all = { ...request, query: '', orderBy: '' };
      const query = parseListRequest(all, versionList.sorts, context.signal);
      const { rows, ...page } = await findVersions(db, request.documentId, query);
      return { versions: await versionMessages(db, previews, rows, version), ...page };
    },

    async restoreVersion({ documentId, version }, context) {
      const workspaceId = workspaceOf(context);
      return changeVersions(context, documentId, async (trx) => {
        const key = { workspaceId, id: documentId };
        const { current } = await lockVersions(trx, key, context);
        const row = await findVersion(trx, documentId, version);
        if (row === undefined) throw versionNotFound();
        if (version !== current) await setCurrentVersion(trx, row, { update_time: now() });
        return answer(trx, workspaceId, documentId);
      });
    },

    async deleteVersion({ documentId, version }, context) {
      const workspaceId = workspaceOf(context);
      await stagedBlobs.remove((unsettle) =>
        changeVersions(context, documentId, async (trx) => {
          const key = { workspaceId, id: documentId };
          const { current } = await lockVersions(trx, key, context);
          const row = await findVersion(trx, documentId, version);
          if (row === undefined) throw versionNotFound();
          if (version === current) throw fail('conflict', 'The version is the current one.');
          if (await isPinned(trx, documentId, version)) {
            throw fail('conflict', 'A link shows the version. Change or revoke the link first.');
          }
          const previews = await findPreviewBlobs(trx, documentId, version);
          await deleteVersion(trx, documentId, version);
          await unsettle(trx, [row.blob_id, ...previews]);
          const bytes = row.size_bytes;
          await quotas.remove(trx, workspaceId, { bytes, documents: 0, links: 0, views: 0 });
        }),
      );
      return {};
    },
  };
}

const tooManyVersions = () =>
  fail('conflict', `The document has ${versionsMax} versions. Delete one of them first.`);
