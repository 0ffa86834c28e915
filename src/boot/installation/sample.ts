// The sample data of the demo: a document, a link and a few views, so that the console is not
// empty.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Clock, hourMs, secondMs } from '../../base/clock.ts';
import { newId, type Random, randomText } from '../../base/crypto/ids.ts';
import type { StagedBlob, StagedBlobs } from '../../sharing/blobs/staged-blobs.ts';
import { insertDocument } from '../../sharing/documents/store.ts';
import { insertLink } from '../../sharing/links/store.ts';
import { addUsage } from '../../sharing/quotas/store.ts';
import { insertView, raisePageDurations } from '../../sharing/views/store.ts';
import type { Executor } from '../../storage/schema/schema.ts';

export type SampleOptions = {
  readonly file: string;
  readonly blobs: Pick<StagedBlobs, 'write'>;
  readonly random: Random;
  readonly now: Clock;
};

/** A sample whose content is stored and whose row is not. */
export type StagedSample = {
  readonly blob: StagedBlob;
  insert(trx: Executor, workspaceId: string): Promise<void>;
};

const pageCount = 4;

const readers = [
  { email: 'ada@example.com', hoursAgo: 26, pageSeconds: [45, 80, 35, 20] },
  { email: 'grace@example.com', hoursAgo: 5, pageSeconds: [30, 12] },
  { email: 'linus@example.com', hoursAgo: 0.5, pageSeconds: [15, 60, 95] },
];

export async function stageSample(options: SampleOptions): Promise<StagedSample | undefined> {
  const bytes = await readFile(options.file).catch(() => undefined);
  if (bytes === undefined) return undefined;
  async function* content() {
    yield bytes as Uint8Array;
  }
  const blob = await options.blobs.write(content());
  return {
    blob,
    insert: (trx, workspaceId) => insertSample(trx, { ...options, workspaceId, blob, bytes }),
  };
}

type Stored = SampleOptions & {
  readonly workspaceId: string;
  readonly blob: StagedBlob;
  readonly bytes: Uint8Array;
};

async function insertSample(trx: Executor, stored: Stored): Promise<void> {
  const { workspaceId, blob, bytes, random, now } = stored;
  const documentId = newId('doc', random);
  const linkId = newId('lnk', random);
  const create_time = now() - 27 * hourMs;
  await insertDocument(trx, {
    id: documentId,
    workspace_id: workspaceId,
    name: 'Sample document.pdf',
    content_type: 'application/pdf',
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    page_count: pageCount,
    blob_id: blob.id,
    create_time,
  });
  await insertLink(trx, {
    id: linkId,
    slug: randomText(random),
    workspace_id: workspaceId,
    document_id: documentId,
    name: 'Sample link',
    email_required: 1,
    email_verification_required: 0,
    password_hash: null,
    allow_download: 1,
    gate_revision: 1,
    create_time,
    expire_time: null,
    revoke_time: null,
    view_count: 0,
    show_title: 1,
  });
  for (const reader of readers) await insertReader(trx, linkId, reader, { random, now });
  const counted = { bytes: bytes.length, documents: 1, links: 1, views: readers.length };
  await addUsage(trx, workspaceId, counted);
}

async function insertReader(
  trx: Executor,
  linkId: string,
  { email, hoursAgo, pageSeconds }: (typeof readers)[number],
  { random, now }: Pick<SampleOptions, 'random' | 'now'>,
): Promise<void> {
  const id = newId('viw', random);
  const visit = randomText(random).slice(0, 16).toLowerCase();
  const pages = pageSeconds.map((seconds, i) => ({
    view_id: id,
    visit,
    page: i + 1,
    duration_ms: seconds * secondMs,
  }));
  await insertView(trx, {
    id,
    link_id: linkId,
    email,
    email_verified: 0,
    create_time: now() - hoursAgo * hourMs,
    duration_ms: pages.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
  });
  await raisePageDurations(trx, pages);
}
