// The wing of documents.

import path from 'node:path';
import { readAssets } from '../http/assets.ts';
import { errorsPage } from '../http/errors-page.ts';
import type { Page } from '../http/page.ts';
import type { Credentials } from '../identity/credentials/credentials.ts';
import type { Implementations } from '../services.ts';
import { createApiKeyService } from '../sharing/api-keys/service.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import { openDiskBlobs } from '../sharing/blobs/disk.ts';
import { createDocuments } from '../sharing/documents/documents.ts';
import { createPageCounter } from '../sharing/documents/pages/page-counter.ts';
import { createDocumentService } from '../sharing/documents/service.ts';
import { blobIsNeeded } from '../sharing/documents/store.ts';
import { gateRoutes } from '../sharing/gate/gate.http.ts';
import { createGate } from '../sharing/gate/gate.ts';
import { createGatePages } from '../sharing/gate/pages.ts';
import { createPasses } from '../sharing/gate/pass.ts';
import { createLinks } from '../sharing/links/links.ts';
import { createLinkService } from '../sharing/links/service.ts';
import { createWorkspaceService } from '../sharing/workspaces/service.ts';
import { createWorkspaces } from '../sharing/workspaces/workspaces.ts';

import type { Base } from './base.ts';

export type Sharing = {
  readonly services: Pick<Implementations, 'document' | 'link' | 'apiKey' | 'workspace'>;
  readonly pages: readonly Page[];
  readonly blobs: BlobStore;
  stop(): void;
};

export async function buildSharing(
  base: Base,
  credentials: Credentials,
  webDir: string,
): Promise<Sharing> {
  const { config, db, trail, masterKey, now, random, publicUrl } = base;
  const blobs = await openDiskBlobs(config.blobDir);
  await blobs.sweep((id) => blobIsNeeded(db, id));
  const workspaces = createWorkspaces(db);
  const documents = createDocuments(db, blobs);
  const { uploadBytesMax } = config;
  // It stands beside the built browser code, also where the service runs from its sources.
  const pagesProgram = path.join(webDir, '../src/sharing/documents/pages/program.js');
  const pageCounter = createPageCounter({ file: pagesProgram });
  const passes = createPasses(masterKey.derive('link pass'));
  const gate = createGate({ db, links: createLinks(db), passes, random, now });
  const assets = await readAssets(webDir);
  const pages = createGatePages(assets);
  return {
    blobs,
    stop: () => pageCounter.stop(),
    pages: [errorsPage(assets), ...gateRoutes({ gate, pages, documents, publicUrl })],
    services: {
      document: createDocumentService({
        db,
        trail,
        blobs,
        documents,
        workspaces,
        pages: pageCounter,
        uploadBytesMax,
        uploadStalledMs: base.uploadStalledMs,
        random,
        now,
      }),
      link: createLinkService({ db, trail, documents, publicUrl, random, now }),
      apiKey: createApiKeyService({ trail, credentials, random }),
      workspace: createWorkspaceService({ db, trail, random, now }),
    },
  };
}
