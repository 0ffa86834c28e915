// Rooms: what readers of a link to a folder may see. Every request for an entry is checked here
// against the folders that contain it now, and against the rules of the link.
import { createFairPlaces } from '../../base/limits/fair-share.ts';
import { startSlicedWork, takeTurn } from '../../base/limits/turns.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createRevocationSafeCache } from '../../storage/cache/revocation-safe-cache.ts';
import { entityKey } from '../../storage/schema/change.ts';
import type { Database, FolderRow, LinkRow } from '../../storage/schema/schema.ts';
import type { SharedDocument, SharedFolder } from '../links/links.ts';
import { hiddenIdsOf, mayDownload, roomPathOf } from '../queries/entry-rules.ts';
import { findAncestors, findDescendants } from '../queries/folder-tree.ts';
import { entryTokenAt, positionAt } from './page-token.ts';
import {
  findDocumentsIn,
  findEntries,
  findFoldersIn,
  type LocatedDocument,
  locateDocument,
  type RoomEntry,
} from './store.ts';

export type { RoomEntry } from './store.ts';

/** A folder of a room, and the folders from the one of the link down to it. */
export type RoomFolder = {
  readonly link: LinkRow;
  readonly folder: FolderRow;
  readonly path: readonly FolderRow[];
};

/** An entry and whether readers may download it. */
export type ListedEntry = RoomEntry & { readonly mayDownload: boolean };

export type RoomListing = {
  readonly entries: readonly ListedEntry[];
  /** The page token of the next page; empty on the last page. */
  readonly nextPageToken: string;
};

export type FoundEntry = ListedEntry & {
  /** The folders from the one of the link down to the one with the entry. */
  readonly path: readonly Pick<FolderRow, 'id' | 'name'>[];
};

export type Searcher = {
  readonly network: string;
  /** Aborts if the reader closes the connection. */
  readonly signal: AbortSignal;
};

export type Neighbours = {
  /** In the order of names. */
  readonly before: readonly RoomEntry[];
  readonly after: readonly RoomEntry[];
};

export type Rooms = {
  /** From a cache: a change by another process takes up to a second. */
  findDocument(room: SharedFolder, id: string): Promise<SharedDocument | undefined>;
  findFolder(room: SharedFolder, id: string): Promise<RoomFolder | undefined>;
  /** `pageToken` is empty for the first page. Returns undefined if it is not a page token. */
  list(folder: RoomFolder, pageToken: string): Promise<RoomListing | undefined>;
  /**
   * Returns at most `foundMax` documents and folders whose names contain the text. Undefined if the
   * network of the reader already has its share of the running searches.
   */
  search(
    room: SharedFolder,
    text: string,
    searcher: Searcher,
  ): Promise<readonly FoundEntry[] | undefined>;
  /** Returns the folders within each folder of a path. */
  branches(path: readonly FolderRow[], link: LinkRow): Promise<readonly (readonly RoomEntry[])[]>;
  /** Returns the documents before and after one in its folder. */
  neighbours(shared: SharedDocument): Promise<Neighbours>;
};

export type RoomsOptions = {
  readonly db: Database;
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
};

const cachedMax = 10_000;
const pageSize = 200;
const branchMax = 100;
const neighboursMax = 25;
const foundMax = 100;

/** Documents that one query of a search reads: SQLite runs a query on the event loop. */
const sliceMax = 500;
/** The time of the queries of one search, and its whole time with the turns of other calls. */
const searchMsMax = 3_000;
const searchTotalMsMax = 20_000;

/** Concurrent searches of one process. Networks share them fairly. */
const searchesMax = 20;

export function createRooms({ db, invalidations }: RoomsOptions): Rooms {
  const cache = createRevocationSafeCache<LocatedDocument | undefined>({
    invalidations,
    dependsOn: (located) =>
      located === undefined
        ? []
        : [
            entityKey('document', located.document.id),
            ...located.ancestors.map(({ id }) => entityKey('folder', id)),
          ],
    entriesMax: cachedMax,
    isCached: (located) => located !== undefined,
  });

  const searches = createFairPlaces(searchesMax);

  async function search(
    { link, folder }: SharedFolder,
    text: string,
    signal: AbortSignal,
  ): Promise<readonly FoundEntry[]> {
    const hidden = hiddenIdsOf(link);
    const tree = await findDescendants(db, folder.id, hidden);
    const byId = new Map(tree.map((inTree) => [inTree.id, inTree]));
    const pathTo = (id: string | null): Pick<FolderRow, 'id' | 'name'>[] => {
      const at = byId.get(id ?? '');
      return at === undefined ? [] : [...pathTo(at.id === folder.id ? null : at.parent_id), at];
    };
    const found: FoundEntry[] = [];
    const add = (entry: RoomEntry, parentId: string | null) => {
      if (found.length === foundMax || !contains(entry.name, text)) return;
      const path = pathTo(parentId);
      found.push({
        ...entry,
        path,
        mayDownload: mayDownload(link, [entry.id, ...upwards(path)]),
      });
    };
    for (const { id, name, parent_id } of tree) {
      if (id !== folder.id) add({ id, name }, parent_id);
    }
    const work = startSlicedWork(searchMsMax, searchTotalMsMax);
    for (const { id: folderId } of tree) {
      for (let start: RoomEntry | undefined; ; ) {
        if (found.length === foundMax || work.isOver()) return found;
        // Lets other calls run, also between the queries of many small folders.
        await takeTurn();
        signal.throwIfAborted();
        const range = { start, limit: sliceMax };
        const slice = await work.run(() => findDocumentsIn(db, { folderId, hidden }, range));
        for (const entry of slice) add(entry, folderId);
        if (slice.length < sliceMax) break;
        start = slice.at(-1);
      }
    }
    return found;
  }

  return {
    async findDocument({ link }, id) {
      const { workspace_id: workspaceId } = link;
      const key = `${workspaceId} ${id}`;
      const located = await cache.get(key, () => locateDocument(db, workspaceId, id));
      const path = located && roomPathOf(link, located.ancestors);
      if (located === undefined || path === undefined || hiddenIdsOf(link).includes(id)) {
        return undefined;
      }
      const { document } = located;
      return { link, document, mayDownload: mayDownload(link, [id, ...upwards(path)]), path };
    },

    async findFolder({ link }, id) {
      const path = roomPathOf(link, await findAncestors(db, id));
      const folder = path?.at(-1);
      if (path === undefined || folder?.workspace_id !== link.workspace_id) return undefined;
      return { link, folder, path };
    },

    async list({ link, folder, path }, pageToken) {
      const after = pageToken === '' ? undefined : positionAt(pageToken);
      if (pageToken !== '' && after === undefined) return undefined;
      const shelf = { folderId: folder.id, hidden: hiddenIdsOf(link) };
      const found = await findEntries(db, shelf, { after, limit: pageSize + 1 });
      const shown = found.slice(0, pageSize);
      const above = upwards(path);
      const entries = shown.map((entry) => {
        return { ...entry, mayDownload: mayDownload(link, [entry.id, ...above]) };
      });
      const last = found.length > pageSize ? shown.at(-1) : undefined;
      return { entries, nextPageToken: last === undefined ? '' : entryTokenAt(last) };
    },

    async search(room, text, { network, signal }) {
      const release = searches.acquire(network);
      if (release === undefined) return undefined;
      try {
        return await search(room, text, signal);
      } finally {
        release();
      }
    },

    branches: (path, link) => {
      const hidden = hiddenIdsOf(link);
      const range = { limit: branchMax };
      return Promise.all(path.map(({ id }) => findFoldersIn(db, { folderId: id, hidden }, range)));
    },

    async neighbours({ link, document }) {
      const shelf = { folderId: document.folder_id ?? '', hidden: hiddenIdsOf(link) };
      const range = { start: document, limit: neighboursMax };
      const [before, after] = await Promise.all([
        findDocumentsIn(db, shelf, { ...range, isBackward: true }),
        findDocumentsIn(db, shelf, range),
      ]);
      return { before: before.toReversed(), after };
    },
  };
}

const upwards = (path: readonly { readonly id: string }[]) => path.map(({ id }) => id).toReversed();

const comparable = (text: string) => text.normalize('NFC').toLowerCase();

const contains = (name: string, text: string) => comparable(name).includes(comparable(text));
