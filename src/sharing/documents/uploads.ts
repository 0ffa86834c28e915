// Receives the content of documents and versions: stores the bytes, detects the type and counts the
// pages. The caller inserts the row.
import type { HandlerContext } from '@connectrpc/connect';
import { AlreadyRecorded, claimOf } from '../../api/idempotency/claim.ts';
import { repeatAccessCheck, resolveWorkspace } from '../../api/workspace.ts';
import { fail } from '../../base/errors/errors.ts';
import { createFairPlaces } from '../../base/limits/fair-share.ts';
import { failIfStalled } from '../../base/limits/stall-timeout.ts';
import type { DocumentVersionRow } from '../../storage/schema/schema.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { StagedBlob, StagedBlobs } from '../blobs/staged-blobs.ts';
import type { Quotas, UploadQuota } from '../quotas/quotas.ts';
import { refineContainerType } from './content-type.ts';
import type { PageCounter } from './pages/page-counter.ts';
import {
  isEmptyMessage,
  readUploadStart,
  Upload,
  type UploadMessage,
  type UploadResult,
} from './upload.ts';

type Content = Pick<
  DocumentVersionRow,
  'content_type' | 'size_bytes' | 'sha256' | 'page_count' | 'blob_id'
>;

export type ReceivedUpload = {
  readonly blob: StagedBlob;
  readonly workspaceId: string;
  readonly documentId: string;
  /** The folder that gets a document; empty for the top level. */
  readonly folderId: string;
  readonly names: Pick<UploadResult, 'name' | 'nameOfFile'>;
  readonly content: Content;
};

export type UploadTarget = {
  readonly isVersion: boolean;
  readonly quotas: readonly UploadQuota[];
  /** Throws `not_found` if there is nothing to upload to. */
  require(workspaceId: string, documentId: string): Promise<void>;
};

type StoredUpload = {
  readonly upload: Upload;
  readonly blob: StagedBlob;
  readonly documentId: string;
};

export type UploadReceiver = {
  /**
   * Stores the bytes and describes them. Throws if too many uploads are running, the quota is used
   * up, or the caller has lost access; nothing is stored then.
   */
  receive(
    requests: AsyncIterable<UploadMessage>,
    context: HandlerContext,
    target: UploadTarget,
  ): Promise<ReceivedUpload>;
};

export type UploadsOptions = {
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly stagedBlobs: StagedBlobs;
  readonly quotas: Quotas;
  readonly pages: PageCounter;
  readonly uploadBytesMax: number;
  /** Concurrent uploads of one process. Workspaces share them fairly. */
  readonly uploadsMax: number;
  /** An upload fails if it sends nothing for this time. */
  readonly uploadStalledMs: number;
};

export function createUploads(options: UploadsOptions): UploadReceiver {
  const { blobs, stagedBlobs, quotas, pages } = options;
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

  async function store(
    requests: AsyncIterable<UploadMessage>,
    context: HandlerContext,
    target: UploadTarget,
  ): Promise<StoredUpload> {
    const messages = failIfStalled(requests, options.uploadStalledMs, isEmptyMessage);
    try {
      const start = await readUploadStart(messages, context, target.isVersion);
      const { owner, workspaceId, documentId, messages: all } = start;
      const upload = new Upload(all, options.uploadBytesMax);
      const blob = await withUploadSlot(owner, async () => {
        const bytes = upload.bytes();
        if (claimOf(context)?.isRecorded === true) return skipRepeated(bytes);
        if (workspaceId === undefined) return stagedBlobs.write(bytes);
        await target.require(workspaceId, documentId);
        return stagedBlobs.write(await quotas.within(workspaceId, bytes, target.quotas));
      });
      return { upload, blob, documentId };
    } finally {
      // If the upload was refused, the remaining messages are not read.
      messages.return(undefined).catch(() => {});
    }
  }

  async function describe(
    { upload, blob, documentId }: StoredUpload,
    context: HandlerContext,
    target: UploadTarget,
  ): Promise<ReceivedUpload> {
    const uploaded = await upload.finish();
    const workspaceId = await resolveWorkspace(context, uploaded.workspaceId);
    await target.require(workspaceId, documentId);
    const contentType = await refineContainerType(uploaded.contentType, {
      sizeBytes: uploaded.sizeBytes,
      read: (start, end) => readPart(blob.id, start, end, uploaded.sizeBytes),
    });
    const content = {
      content_type: contentType,
      size_bytes: uploaded.sizeBytes,
      sha256: uploaded.sha256,
      page_count: await countPages(uploaded, blob.id, workspaceId),
      blob_id: blob.id,
    };
    // Counting the pages can take longer than a second.
    await repeatAccessCheck(context, workspaceId);
    // A cancelled call must not create a document, even if its body was complete.
    context.signal.throwIfAborted();
    const { folderId } = uploaded;
    return { blob, workspaceId, documentId, folderId, names: uploaded, content };
  }

  async function readPart(blobId: string, offset: number, end: number, sizeBytes: number) {
    const chunks: Uint8Array[] = [];
    const part = { offset, length: end - offset, sizeBytes };
    for await (const chunk of blobs.read(blobId, part)) chunks.push(chunk);
    return Buffer.concat(chunks);
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

  return {
    async receive(requests, context, target) {
      const stored = await store(requests, context, target);
      return describe(stored, context, target).catch(async (error: unknown) => {
        await stored.blob.discard();
        throw error;
      });
    },
  };
}

/** The guard compares the bytes of a repeated upload and returns the recorded answer. */
async function skipRepeated(bytes: AsyncIterable<Uint8Array>): Promise<never> {
  for await (const _ of bytes);
  throw new AlreadyRecorded();
}
