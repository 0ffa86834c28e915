// The wing of documents.

import { readAssets } from '../http/assets.ts';
import { errorsPage } from '../http/errors-page.ts';
import type { Page, PageRequest } from '../http/page.ts';
import type { Credentials } from '../identity/credentials/credentials.ts';
import type { Implementations } from '../services.ts';
import { createApiKeyService } from '../sharing/api-keys/service.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import { openDiskBlobs } from '../sharing/blobs/disk.ts';
import { createDocuments } from '../sharing/documents/documents.ts';
import { createDocumentService } from '../sharing/documents/service.ts';
import { blobIsNeeded } from '../sharing/documents/store.ts';
import { gateRoutes } from '../sharing/gate/gate.http.ts';
import { createGate } from '../sharing/gate/gate.ts';
import { requireOpen } from '../sharing/gate/opened.ts';
import { createGatePages } from '../sharing/gate/pages.ts';
import { createPasses } from '../sharing/gate/pass.ts';
import { createLinks } from '../sharing/links/links.ts';
import { createLinkService } from '../sharing/links/service.ts';
import { createRecorder, type Recorder } from '../sharing/views/recorder.ts';
import { viewRoutes } from '../sharing/views/views.http.ts';
import { createViews } from '../sharing/views/views.ts';
import { createWorkspaceService } from '../sharing/workspaces/service.ts';
import { createWorkspaces } from '../sharing/workspaces/workspaces.ts';

import type { Base } from './base.ts';

export type Sharing = {
  readonly services: Pick<Implementations, 'document' | 'link' | 'apiKey' | 'workspace'>;
  readonly pages: readonly Page[];
  readonly blobs: BlobStore;
  readonly recorder: Recorder;
};

export async function buildSharing(
  base: Base,
  credentials: Credentials,
  webDir: string,
): Promise<Sharing> {
  const { config, log, db, trail, masterKey, now, random, publicUrl } = base;
  const blobs = await openDiskBlobs(config.blobDir);
  await blobs.sweep((id) => blobIsNeeded(db, id));
  const workspaces = createWorkspaces(db);
  const documents = createDocuments(db, blobs);
  const { uploadBytesMax } = config;
  const passes = createPasses(masterKey.derive('link pass'));
  const gate = createGate({ db, links: createLinks(db), passes, random, now });
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const recorder = createRecorder({ db, now, warn });
  const views = createViews({ db, recorder, now });
  const opened = (request: PageRequest) => requireOpen(gate, request);
  const assets = await readAssets(webDir);
  const pages = createGatePages(assets);
  return {
    blobs,
    pages: [
      errorsPage(assets),
      ...gateRoutes({ gate, pages, documents, publicUrl }),
      ...viewRoutes({ views, requireOpen: opened, publicUrl }),
    ],
    recorder,
    services: {
      document: createDocumentService({
        db,
        trail,
        blobs,
        documents,
        workspaces,
        uploadBytesMax,
        random,
        now,
      }),
      link: createLinkService({ db, trail, documents, views, publicUrl, random, now }),
      apiKey: createApiKeyService({ trail, credentials, random }),
      workspace: createWorkspaceService({ db, trail, random, now }),
    },
  };
}
