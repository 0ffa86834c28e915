import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type {
  DocumentService,
  UploadDocumentRequest,
} from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { AlreadyRecorded, claimOf } from '../../api/idempotency/claim.ts';
import { repeatAccessCheck, resolveWorkspace, workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import { createFairPlaces } from '../../base/limits/fair-share.ts';
import { failIfStalled } from '../../base/limits/stall-timeout.ts';
import { parseListRequest } from '../../storage/list-request.ts';
import type { Database, DocumentRow, Executor } from '../../storage/schema.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { StagedBlob, StagedBlobs } from '../blobs/staged-blobs.ts';
import type { Quotas } from '../quotas/quotas.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { type Documents, documentNotFound } from './documents.ts';
import type { PageCounter } from './pages/page-counter.ts';
import type { RedirectDownload } from './redirects.ts';
import {
  type CountedDocument,
  countLinksAndViews,
  documentList,
  findCountedDocument,
  findDocuments,
  insertDocument,
  removeDocument,
  renameDocument,
} from './store.ts';
import { checkName, isEmptyMessage, Upload, type UploadResult } from './upload.ts';
import { readUploadStart } from './upload-start.ts';

/** The rows of links and views that a request deletes with their document. */
const removedRowsMax = 200;

type Requests = AsyncIterable<UploadDocumentRequest>;

export type DocumentOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly stagedBlobs: StagedBlobs;
  readonly documents: Documents;
  readonly redirect: RedirectDownload;
  readonly workspaces: Workspaces;
  readonly quotas: Quotas;
  readonly pages: PageCounter;
  readonly uploadBytesMax: number;
  /** Concurrent uploads of one process. Workspaces share them fairly. */
  readonly uploadsMax: number;
  readonly uploadStalledMs: number;
  readonly random: Random;
  readonly now: Clock;
};

export function createDocumentService(
  options: DocumentOptions,
): ServiceImpl<typeof DocumentService> {
  const { db, auditLog, blobs, stagedBlobs, documents } = options;
  const { workspaces, quotas, pages, random, now } = options;

  const uploadSlots = createFairPlaces(options.uploadsMax);

  /** Throws `rate_limited` if the owner already has its share of concurrent uploads. */
  async function withUploadSlot<T>(owner: string, write: () => Promise<T>): Promise<T> {
    const release = uploadSlots.acquire(owner);
    if (release === undefined) {
      throw fail('rate_limited', 'Too many uploads of the workspace are in progress.', {
        retryAfterSeconds: 1,
      });
    }
    try {
      return await write();
    } finally {
      release();
    }
  }

  async function receive(requests: Requests, context: HandlerContext) {
    const messages = failIfStalled(requests, options.uploadStalledMs, isEmptyMessage);
    try {
      const { owner, workspaceId, messages: all } = await readUploadStart(messages, context);
      const upload = new Upload(all, options.uploadBytesMax);
      const blob = await withUploadSlot(owner, async () => {
        const bytes = upload.bytes();
        if (claimOf(context)?.isRecorded === true) return skipRepeated(bytes);
        if (workspaceId === undefined) return stagedBlobs.write(bytes);
        await workspaces.require(workspaceId);
        return stagedBlobs.write(await quotas.within(workspaceId, bytes));
      });
      return { upload, blob };
    } finally {
      // If the upload was refused, the remaining messages are not read.
      messages.return(undefined).catch(() => {});
    }
  }

  async function describe(
    upload: Upload,
    blobId: string,
    context: HandlerContext,
  ): Promise<DocumentRow> {
    const uploaded = await upload.finish();
    const workspaceId = await resolveWorkspace(context, uploaded.workspaceId);
    await workspaces.require(workspaceId);
    return {
      id: newId('doc', random),
      workspace_id: workspaceId,
      name: uploaded.name,
      content_type: uploaded.contentType,
      size_bytes: uploaded.sizeBytes,
      sha256: uploaded.sha256,
      page_count: await countPages(uploaded, blobId, workspaceId),
      blob_id: blobId,
      create_time: now(),
    };
  }

  async function countPages(
    { contentType, sizeBytes }: UploadResult,
    blobId: string,
    workspaceId: string,
  ): Promise<number> {
    if (contentType !== 'application/pdf') return 0;
    const read = (offset: number, length: number) =>
      blobs.read(blobId, { offset, length, sizeBytes });
    return pages.count({ sizeBytes, read }, workspaceId);
  }

  async function insertCounted(trx: Executor, row: DocumentRow): Promise<void> {
    await quotas.add(trx, row.workspace_id, { bytes: row.size_bytes, documents: 1 });
    await insertDocument(trx, row);
  }

  /** Deletes a row and its links and views. Returns false if another call has deleted it. */
  async function deleteCounted(trx: Executor, row: DocumentRow): Promise<boolean> {
    await quotas.lock(trx, row.workspace_id);
    const shared = await countLinksAndViews(trx, row.id);
    const limits = { time: now(), rowsMax: removedRowsMax };
    if (!(await removeDocument(trx, row.id, limits))) return false;
    await quotas.remove(trx, row.workspace_id, { bytes: row.size_bytes, documents: 1, ...shared });
    return true;
  }

  function insert(blob: StagedBlob, row: DocumentRow, context: HandlerContext) {
    const counts = { view_count: 0, link_count: 0, last_view_time: null };
    return blob.commit((settle) =>
      quotas.inTurn(row.workspace_id, () =>
        auditLog.create(context, { target: row.id }, async (trx) => {
          await settle(trx);
          await insertCounted(trx, row);
          return { document: documentMessage({ ...row, ...counts }) };
        }),
      ),
    );
  }

  async function remove(row: DocumentRow, context: HandlerContext): Promise<void> {
    await stagedBlobs.remove(row.blob_id, (unsettle) =>
      quotas.inTurn(row.workspace_id, () =>
        auditLog.change(context, { target: row.id }, async (trx) => {
          if (await deleteCounted(trx, row)) await unsettle(trx);
        }),
      ),
    );
  }

  return {
    async uploadDocument(requests, context) {
      const { upload, blob } = await receive(requests, context);
      const row = await describe(upload, blob.id, context)
        .then(async (described) => {
          // Counting the pages can take longer than a second.
          await repeatAccessCheck(context, described.workspace_id);
          // A cancelled call must not create a document, even if its body was complete.
          context.signal.throwIfAborted();
          return described;
        })
        .catch(async (error: unknown) => {
          await blob.discard();
          throw error;
        });
      return insert(blob, row, context);
    },

    async listDocuments(request, context) {
      const query = parseListRequest(request, documentList.sorts, context.signal);
      const { rows, ...page } = await findDocuments(db, workspaceOf(context), query);
      return { documents: rows.map(documentMessage), ...page };
    },

    async getDocument({ documentId }, context) {
      const row = await findCountedDocument(db, workspaceOf(context), documentId);
      if (row === undefined) throw documentNotFound();
      return { document: documentMessage(row) };
    },

    async updateDocument({ documentId, name, updateMask }, context) {
      const key = { workspaceId: workspaceOf(context), id: documentId };
      const renames = updateMask?.paths.length !== 0;
      if (renames) checkName(name);
      const row = await auditLog.change(context, { target: key.id }, async (trx) => {
        if (renames) await renameDocument(trx, key, name);
        const found = await findCountedDocument(trx, key.workspaceId, key.id);
        if (found === undefined) throw documentNotFound();
        return found;
      });
      return { document: documentMessage(row) };
    },

    async deleteDocument({ documentId }, context) {
      const row = await documents.require(workspaceOf(context), documentId);
      await remove(row, context);
      return {};
    },

    async *downloadDocument(request, context) {
      const row = await documents.requireCached(workspaceOf(context), request.documentId);
      const { header, bytes } = documents.open(row, request);
      const location = await options.redirect(row, header, request, context);
      if (location !== undefined) context.responseHeader.set('location', location);
      yield { part: { case: 'header', value: header } };
      if (location !== undefined) return;
      for await (const value of bytes()) yield { part: { case: 'chunk', value } };
    },
  };
}

/** The guard compares the bytes of a repeated upload and returns the recorded answer. */
async function skipRepeated(bytes: AsyncIterable<Uint8Array>): Promise<never> {
  for await (const _ of bytes);
  throw new AlreadyRecorded();
}

function documentMessage(row: CountedDocument) {
  return {
    id: row.id,
    name: row.name,
    contentType: row.content_type,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    pageCount: row.page_count,
    workspaceId: row.workspace_id,
    createTime: timestampFromMs(row.create_time),
    viewCount: row.view_count,
    linkCount: row.link_count,
    ...(row.last_view_time === null ? {} : { lastViewTime: timestampFromMs(row.last_view_time) }),
    viewable: viewerKindOf(row.content_type) !== undefined,
  };
}
