import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type DocumentService,
  UpdateDocumentRequestSchema,
} from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { touched } from '../../api/etag.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import { whileGranted } from '../../api/while-granted.ts';
import { repeatAccessCheck, workspaceOf } from '../../api/workspace.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { nameCreator } from '../../audit/names/creators.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { Database, DocumentRow, Executor } from '../../storage/schema/schema.ts';
import type { StagedBlob } from '../blobs/staged-blobs.ts';
import type { Folders } from '../folders/folders.ts';
import type { Previews } from '../previews/previews.ts';
import { findBlobsOf } from '../queries/document-versions.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { describeDocument, documentMessages } from './document-message.ts';
import { type Documents, lockDocument, requireCounted, versionNotFound } from './documents.ts';
import type { RedirectDownload } from './redirects.ts';
import {
  countLinksAndViews,
  type DocumentChange,
  type DocumentKey,
  documentList,
  findCountedDocument,
  findDocuments,
  insertDocument,
  type NewDocument,
  removeDocument,
  updateDocument,
} from './store.ts';
import { checkName } from './upload.ts';
import { createUploads, type UploadsOptions } from './uploads.ts';
import { createVersionMethods } from './version-methods.ts';

/** The rows of links and views that a request deletes with their document. */
const removedRowsMax = 200;

export type DocumentOptions = UploadsOptions & {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly documents: Documents;
  readonly previews: Previews;
  readonly redirect: RedirectDownload;
  readonly workspaces: Workspaces;
  readonly folders: Folders;
  readonly random: Random;
  readonly now: Clock;
};

export function createDocumentService(
  options: DocumentOptions,
): ServiceImpl<typeof DocumentService> {
  const { db, auditLog, stagedBlobs, documents, workspaces, folders, quotas } = options;
  const { previews, random, now } = options;
  const uploads = createUploads(options);

  async function insertCounted(trx: Executor, row: NewDocument): Promise<void> {
    await quotas.add(trx, row.workspace_id, { bytes: row.size_bytes, documents: 1 });
    const { folder_id: folderId } = row;
    if (typeof folderId === 'string') await folders.requireRoom(trx, row.workspace_id, folderId);
    await insertDocument(trx, row);
  }

  /** Locks the folders of the workspace. Throws unless the document is in the folder or fits in. */
  async function requireFolder(trx: Executor, key: DocumentKey, folderId: string): Promise<void> {
    await quotas.lock(trx, key.workspaceId);
    const found = await findCountedDocument(trx, key.workspaceId, key.id);
    if (found?.folder_id === folderId) return;
    await folders.requireRoom(trx, key.workspaceId, folderId);
  }

  /** Deletes a locked document with its versions, links and views. Returns the ids of the blobs. */
  async function deleteCounted(trx: Executor, row: DocumentRow): Promise<readonly string[]> {
    const shared = await countLinksAndViews(trx, row.id);
    const { blobIds, bytes } = await findBlobsOf(trx, row.id);
    const limits = { time: now(), rowsMax: removedRowsMax };
    await removeDocument(trx, row.id, limits);
    await quotas.remove(trx, row.workspace_id, { bytes, documents: 1, ...shared });
    return blobIds;
  }

  function insert(blob: StagedBlob, row: NewDocument, context: HandlerContext) {
    const counts = { version: 1, view_count: 0, link_count: 0, last_view_time: null };
    return blob.commit((settle) =>
      quotas.inTurn(row.workspace_id, () =>
        auditLog.create(context, { target: row.id }, async (trx) => {
          await settle(trx);
          await insertCounted(trx, row);
          const unset = { folder_id: null, creator_id: null, update_time: null };
          const inserted = { ...unset, ...row, ...counts };
          return { document: await describeDocument(trx, previews, inserted) };
        }),
      ),
    );
  }

  async function remove(row: DocumentRow, context: HandlerContext): Promise<void> {
    await stagedBlobs.remove((unsettle) =>
      quotas.inTurn(row.workspace_id, () =>
        auditLog.change(context, { target: row.id }, async (trx) => {
          await quotas.lock(trx, row.workspace_id);
          await lockDocument(trx, { workspaceId: row.workspace_id, id: row.id }, context);
          await unsettle(trx, await deleteCounted(trx, row));
        }),
      ),
    );
  }

  return {
    ...createVersionMethods({ ...options, uploads }),

    async uploadDocument(requests, context) {
      const quotas = ['documents', 'bytes'] as const;
      const target = { isVersion: false, quotas, require: workspaces.require };
      const received = await uploads.receive(requests, context, target);
      const { blob, workspaceId, folderId, names, content } = received;
      const row = {
        id: newId('doc', random),
        workspace_id: workspaceId,
        name: names.name ?? names.nameOfFile,
        ...content,
        create_time: now(),
        folder_id: folderId === '' ? null : folderId,
        creator_id: principalId(principalOf(context)),
      };
      return insert(blob, row, context);
    },

    async listDocuments(request, context) {
      const query = parseListRequest(request, documentList.sorts, context.signal);
      const filter = { workspaceId: workspaceOf(context), folderId: request.folderId };
      const { rows, ...page } = await findDocuments(db, filter, query);
      return { documents: await documentMessages(db, previews, rows), ...page };
    },

    async getDocument({ documentId }, context) {
      const workspaceId = workspaceOf(context);
      const row = await requireCounted(db, { workspaceId, id: documentId });
      const document = await describeDocument(db, previews, row);
      return { document: await nameCreator(db, context, document, workspaceId) };
    },

    async updateDocument(request, context) {
      const key = { workspaceId: workspaceOf(context), id: request.documentId };
      const { change } = readUpdate(UpdateDocumentRequestSchema, request, updateFields);
      await documents.require(key.workspaceId, key.id);
      const update = () =>
        auditLog.change(context, { target: key.id }, async (trx) => {
          if (typeof change.folder_id === 'string') await requireFolder(trx, key, change.folder_id);
          const before = await lockDocument(trx, key, context, request);
          const timed = { ...change, ...touched(before, change, now()) };
          await updateDocument(trx, key, timed);
          return { ...before, ...timed };
        });
      const moves = change.folder_id !== undefined;
      const row = moves ? await quotas.inTurn(key.workspaceId, update) : await update();
      return { document: await describeDocument(db, previews, row) };
    },

    async deleteDocument({ documentId }, context) {
      const row = await documents.require(workspaceOf(context), documentId);
      await remove(row, context);
      return {};
    },

    async *downloadDocument(request, context) {
      const workspaceId = workspaceOf(context);
      const document = await documents.requireCached(workspaceId, request.documentId);
      const row = await documents.selectVersion(document, request.version || document.version);
      if (row === undefined) throw versionNotFound();
      const file = request.preview ? await previews.requireReady(row) : row;
      const isNamed = request.version !== 0;
      const safe = isNamed ? request : await documents.dropUnsafeRange(row, request);
      const { header, bytes } = documents.open(file, safe);
      // The client would send a dropped range to the store.
      const isSafe = safe.range === request.range;
      const redirect = () => options.redirect(file, header, request, context);
      const location = isSafe ? await redirect() : undefined;
      if (location) context.responseHeader.set('location', location);
      yield { part: { case: 'header', value: header } };
      if (location) return;
      const chunks = whileGranted(bytes(), () => repeatAccessCheck(context, workspaceId));
      for await (const value of chunks) yield { part: { case: 'chunk', value } };
    },
  };
}

const updateFields: UpdateFields<typeof UpdateDocumentRequestSchema, DocumentChange> = {
  name({ name }) {
    checkName(name);
    return { name };
  },
  folder_id: ({ folderId }) => ({ folder_id: folderId === '' ? null : folderId }),
};
