import { createHash } from 'node:crypto';
import type { HandlerContext } from '@connectrpc/connect';
import type { DownloadHeader } from '../../../gen/latchkey/http/v1/download_pb.js';
import { requireEtag } from '../../api/etag.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import { type Damage, DamagedBlob } from '../../base/files/damaged-blob.ts';
import {
  isUnconditionalRange,
  type RangeRequest,
  selectBytes,
} from '../../base/http/byte-range.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type { Database, DocumentRow, Executor } from '../../storage/schema/schema.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import {
  findDocument,
  findVersion,
  type StoredDocument,
  withVersion,
} from '../queries/document-versions.ts';
import { type CountedDocument, type DocumentKey, findCountedDocument } from './store.ts';

/** The part of a document that a request asked for. */
export type OpenDocument = {
  readonly header: Omit<DownloadHeader, '$typeName' | '$unknown'>;
  /**
   * Reads the bytes that the header announces. Throws `not_found` if they were deleted, and
   * `DamagedBlob` if they differ from the upload. The digest of a whole document is checked before
   * its last chunk, so that the reader never receives a complete damaged document.
   */
  bytes(): AsyncGenerator<Uint8Array>;
};

export type Documents = {
  /** Returns a document of the workspace. Throws `not_found`. */
  require(workspaceId: string, id: string): Promise<StoredDocument>;
  /** Like `require`, from a cache: a change by another process takes up to a second. */
  requireCached(workspaceId: string, id: string): Promise<DocumentRow>;
  /** Returns a document with the content of a version. Undefined if it has no such version. */
  selectVersion(document: DocumentRow, version: number): Promise<DocumentRow | undefined>;
  /**
   * For an address without the number of a version. Drops a range without an entity tag if the
   * document has had another version (RFC 9110 §14.2): the client may have bytes of that one.
   */
  dropUnsafeRange<R extends RangeRequest>(document: DocumentRow, request: R): Promise<R>;
  /**
   * Throws `range_not_satisfiable` for a range beyond the end. By default, the entity tag is the
   * SHA-256 digest of the bytes.
   */
  open(document: DocumentRow, request: RangeRequest, etag?: string): OpenDocument;
};

/** The result of comparing the stored bytes of a version with its row. */
export type BlobCheck = {
  readonly documentId: string;
  readonly version: number;
  readonly source: 'download' | 'scan';
  readonly result: 'ok' | Damage;
};

const cachedMax = 10_000;

export type DocumentsOptions = {
  readonly db: Database;
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly observe: (check: BlobCheck) => void;
};

export function createDocuments(options: DocumentsOptions): Documents {
  const { db, invalidations, blobs, observe } = options;
  const cache = createRevocationSafeCache<DocumentRow | undefined>({
    invalidations,
    dependsOn: (row) => (row === undefined ? [] : [entityKey('document', row.id)]),
    entriesMax: cachedMax,
    isCached: (row) => row !== undefined,
  });

  /** A version can be deleted after its row was read. Missing bytes then mean `not_found`. */
  async function* read(document: DocumentRow, offset: number, length: number) {
    const { id: documentId, version } = document;
    const about = { documentId, version, source: 'download' } as const;
    try {
      const isWhole = length === document.size_bytes;
      const part = { offset, length, sizeBytes: document.size_bytes };
      const bytes = blobs.read(document.blob_id, part);
      yield* isWhole ? verifyDigest(bytes, document) : bytes;
      if (isWhole) observe({ ...about, result: 'ok' });
    } catch (error) {
      const row = await findVersion(db, documentId, version);
      if (row === undefined) throw documentNotFound();
      if (error instanceof DamagedBlob) observe({ ...about, result: error.damage });
      throw error;
    }
  }

  return {
    async require(workspaceId, id) {
      const row = await findDocument(db, workspaceId, id);
      if (row === undefined) throw documentNotFound();
      return row;
    },

    async requireCached(workspaceId, id) {
      const row = await cache.get(`${workspaceId} ${id}`, () => findDocument(db, workspaceId, id));
      if (row === undefined) throw documentNotFound();
      return row;
    },

    async selectVersion(document, version) {
      if (version === document.version) return document;
      const row = await findVersion(db, document.id, version);
      return row && withVersion(document, row);
    },

    async dropUnsafeRange({ workspace_id, id }, request) {
      if (!isUnconditionalRange(request)) return request;
      // Not from the cache: another process may have sent bytes of a new version already.
      const row = await findDocument(db, workspace_id, id);
      return row?.last_version === 1 ? request : { ...request, range: '' };
    },

    open(document, request, etag = `"${document.sha256}"`) {
      const { offset, length, ...selected } = selectBytes(request, document.size_bytes, etag);
      return {
        header: {
          name: document.name,
          contentType: document.content_type,
          sizeBytes: document.size_bytes,
          generated: false,
          etag,
          offsetBytes: offset,
          lengthBytes: length,
          ...selected,
        },
        bytes: () => read(document, offset, length),
      };
    },
  };
}

export type StoredContent = Pick<DocumentRow, 'blob_id' | 'sha256' | 'size_bytes'>;

/**
 * Reads a whole blob and compares its digest with the row's. Throws `DamagedBlob` before it yields
 * the last chunk.
 */
export async function* verifyDigest(
  bytes: AsyncIterable<Uint8Array>,
  { blob_id, sha256, size_bytes }: StoredContent,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const check = () => {
    if (hash.digest('hex') !== sha256) throw new DamagedBlob(blob_id, 'digest');
  };
  let rest = size_bytes;
  if (rest === 0) check();
  for await (const chunk of bytes) {
    hash.update(chunk);
    rest -= chunk.length;
    if (rest === 0) check();
    yield chunk;
  }
}

/** The columns that count for the entity tag. */
export const documentState = ({ name, folder_id, version }: DocumentRow) => ({
  name,
  folder_id,
  version,
});

export async function requireCounted(db: Executor, key: DocumentKey): Promise<CountedDocument> {
  const row = await findCountedDocument(db, key.workspaceId, key.id);
  if (row === undefined) throw documentNotFound();
  return row;
}

/**
 * Returns the locked document. Throws `not_found`, or `precondition_failed` if the request is based
 * on another state of it.
 */
export async function lockDocument(
  trx: Executor,
  key: DocumentKey,
  context: HandlerContext,
  request: { readonly etag?: string } = {},
): Promise<CountedDocument> {
  await lockRow(trx, 'documents', 'id', key.id);
  const row = await requireCounted(trx, key);
  requireEtag(context, request, documentState(row));
  return row;
}

export function documentNotFound(): Failure {
  return fail('not_found', 'The workspace has no such document.');
}

export function versionNotFound(): Failure {
  return fail('not_found', 'The document has no such version.');
}
