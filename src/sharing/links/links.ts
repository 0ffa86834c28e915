import type { Database } from '../../storage/schema.ts';
import { findShared, type SharedDocument } from './store.ts';

export type { SharedDocument } from './store.ts';

/** What other features ask of links. */
export type Links = {
  /** The link with the secret part `slug` of its url, and the document that it shows. */
  findShared(slug: string): Promise<SharedDocument | undefined>;
};

export function createLinks(db: Database): Links {
  return { findShared: (slug) => findShared(db, slug) };
}
