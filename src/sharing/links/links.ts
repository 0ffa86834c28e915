import type { Database } from '../../storage/schema.ts';
import { findSharedDocument, type SharedDocument } from './store.ts';

export type { SharedDocument } from './store.ts';

/** Access to links for other features. */
export type Links = {
  /** Returns a link and its document by the secret part of the link's URL. */
  findShared(slug: string): Promise<SharedDocument | undefined>;
};

export function createLinks(db: Database): Links {
  return { findShared: (slug) => findSharedDocument(db, slug) };
}
