// Converts one version and stores its preview.
import { createHash } from 'node:crypto';
import { DamagedBlob } from '../../base/files/damaged-blob.ts';
import { officeExtensionOf } from '../../base/http/pdf-types.ts';
import { transact } from '../../storage/database.ts';
import type { Database, DocumentVersionRow } from '../../storage/schema/schema.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { StagedBlobs } from '../blobs/staged-blobs.ts';
import { findVersion } from '../queries/document-versions.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { type ConversionError, conversionLimits } from './converter/conversion-errors.ts';
import type { ConvertedPdf, Converter } from './converter/converter.ts';
import { type QueuedVersion, setPageCount, updateQueued } from './store.ts';

export type VersionConversion = {
  readonly db: Database;
  readonly converter: Converter;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly stagedBlobs: StagedBlobs;
  /** Throws `DamagedBlob` before the last chunk. */
  readonly verifyDigest: (
    bytes: AsyncIterable<Uint8Array>,
    content: Pick<DocumentVersionRow, 'blob_id' | 'sha256' | 'size_bytes'>,
  ) => AsyncIterable<Uint8Array>;
  /** Returns 0 if the number of pages is unknown. */
  readonly pages: { count(pdf: ConvertedPdf, workspaceId: string): Promise<number> };
  readonly quotas: Pick<Quotas, 'inTurn' | 'lock'>;
};

/** `deleted`: the version was deleted before or during the conversion. */
export type ConversionResult = 'ready' | 'deleted' | ConversionError;

/** Throws if the outcome is not known, or the signal is aborted. */
export async function convertVersion(
  options: VersionConversion,
  { workspace_id: workspaceId, ...key }: QueuedVersion,
  signal: AbortSignal,
): Promise<ConversionResult> {
  const { db, converter, blobs, verifyDigest, pages } = options;
  const row = await findVersion(db, key.document_id, key.version);
  if (row === undefined) return 'deleted';
  const bytes = () => {
    const part = { offset: 0, length: row.size_bytes, sizeBytes: row.size_bytes };
    return verifyDigest(blobs.read(row.blob_id, part), row);
  };
  let tooLong: ConversionError | undefined;
  const store = async (pdf: ConvertedPdf) => {
    const count = await pages.count(pdf, workspaceId);
    // The page counter was busy, or the PDF is unusual.
    if (count === 0) throw new Error('cannot count the pages of a preview');
    if (count <= conversionLimits.pages) return storePreview(options, row, workspaceId, pdf, count);
    tooLong = 'too_many_pages';
  };
  try {
    const extension = officeExtensionOf(row.content_type) ?? '';
    return (await converter.convert({ extension, bytes }, signal, store)) ?? tooLong ?? 'ready';
  } catch (error) {
    if ((await findVersion(db, key.document_id, key.version)) === undefined) return 'deleted';
    if (error instanceof DamagedBlob) return 'unreadable';
    throw error;
  }
}

async function storePreview(
  { db, stagedBlobs, quotas }: VersionConversion,
  row: DocumentVersionRow,
  workspaceId: string,
  pdf: ConvertedPdf,
  pageCount: number,
): Promise<void> {
  const hash = createHash('sha256');
  const blob = await stagedBlobs.write(hashed(pdf.read(0, pdf.sizeBytes), hash));
  const content = { blob_id: blob.id, size_bytes: pdf.sizeBytes, sha256: hash.digest('hex') };
  await blob.commit((settle) =>
    quotas.inTurn(workspaceId, () =>
      transact(db, async (trx) => {
        await settle(trx);
        // Changes of one document happen one after another.
        await quotas.lock(trx, workspaceId);
        await setPageCount(trx, row, pageCount);
        const isStored = await updateQueued(trx, row, { ...content, state: 'ready', error: '' });
        if (!isStored) throw new Error('the version was deleted during its conversion');
      }),
    ),
  );
}

async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  hash: { update(chunk: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}
