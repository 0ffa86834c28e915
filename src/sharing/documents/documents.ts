import type { DownloadHeader } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type RangeRequest, selectBytes } from '../../http/byte-range.ts';
import { type Failure, fail } from '../../rpc/errors.ts';
import type { Database, DocumentRow } from '../../storage/schema.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { findDocument } from './store.ts';

/** A document's bytes, as a request asked for them. */
export type OpenDocument = {
  readonly header: Omit<DownloadHeader, '$typeName' | '$unknown'>;
  /** Reads the bytes that the header announces. Throws `not_found` where they were deleted. */
  bytes(): AsyncIterable<Uint8Array>;
};

/** What is asked of documents, by other features too. */
export type Documents = {
  /** The workspace's document; throws `not_found` where there is none. */
  require(workspaceId: string, id: string): Promise<DocumentRow>;
  /** Throws `range_not_satisfiable` for a range beyond the end. */
  open(document: DocumentRow, request: RangeRequest): OpenDocument;
};

export function createDocuments(db: Database, blobs: BlobStore): Documents {
  /** Whose row was read may be gone, and its bytes with it, before these are opened. */
  async function* read(document: DocumentRow, offset: number, length: number) {
    try {
      yield* blobs.read(document.blob_id, offset, length);
    } catch (error) {
      const row = await findDocument(db, document.workspace_id, document.id);
      throw row === undefined ? noSuchDocument() : error;
    }
  }

  return {
    async require(workspaceId, id) {
      const row = await findDocument(db, workspaceId, id);
      if (row === undefined) throw noSuchDocument();
      return row;
    },

    open(document, request) {
      const etag = `"${document.sha256}"`;
      const { offset, length, ...selected } = selectBytes(request, document.size_bytes, etag);
      return {
        header: {
          name: document.name,
          contentType: document.content_type,
          sizeBytes: document.size_bytes,
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

export function noSuchDocument(): Failure {
  return fail('not_found', 'There is no such document in the workspace.');
}
