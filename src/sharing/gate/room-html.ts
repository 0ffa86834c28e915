// The HTML of rooms: the trail to an entry, the tree of folders, and the listing of a folder. It
// needs no script.
import { formatSize } from '../../base/http/format-size.ts';
import { type Html, html } from '../../base/http/html.ts';
import { mayBeStampable } from '../../base/http/pdf-types.ts';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import type { SharedDocument } from '../links/links.ts';
import type {
  FoundEntry,
  ListedEntry,
  Neighbours,
  RoomEntry,
  RoomFolder,
  RoomListing,
} from '../rooms/rooms.ts';

export type RoomFrame = {
  readonly path: RoomFolder['path'];
  /** The folders within each folder of the path. */
  readonly branches: readonly (readonly RoomEntry[])[];
  readonly neighbours: Neighbours;
};

export type FolderContent =
  | RoomListing
  | { readonly query: string; readonly found: readonly FoundEntry[] };

type Named = { readonly id: string; readonly name: string };

type Link = RoomFolder['link'];

const isFolder = ({ id }: Named) => id.startsWith('fld_');

export const roomPath = ({ slug }: Link) => `/s/${slug}`;

export function entryPath(link: Link, { id }: Pick<Named, 'id'>): string {
  if (id === link.folder_id) return roomPath(link);
  return `${roomPath(link)}/${isFolder({ id, name: '' }) ? 'folders' : 'documents'}/${id}`;
}

/** The name of the folder of the link is hidden together with the title of the link. */
export function folderNameOf(link: Link, { id, name }: Named): string {
  return id === link.folder_id && link.show_title !== 1 ? 'Shared folder' : name;
}

const crumb = (link: Link, folder: Named) =>
  html`<li><a href="${entryPath(link, folder)}">${folderNameOf(link, folder)}</a></li>`;

export function documentTrail({ link }: SharedDocument, { path, neighbours }: RoomFrame): Html {
  const previous = neighbours.before.at(-1);
  const [next] = neighbours.after;
  const step = (rel: 'prev' | 'next', text: string, to: RoomEntry | undefined) =>
    to === undefined
      ? html`<span class="step" aria-disabled="true">${text}</span>`
      : html`<a class="step" rel="${rel}" href="${entryPath(link, to)}"
title="${to.name}">${text}</a>`;
  const crumbs = path.map((folder) => crumb(link, folder));
  return html`<nav class="trail" aria-label="Folder"><ol>${crumbs}</ol>
<span class="steps">${step('prev', 'Previous', previous)}
${step('next', 'Next', next)}</span></nav>`;
}

export function folderTrail({ link, path }: RoomFolder, query: string): Html {
  const above = query === '' ? path.slice(0, -1) : path.slice(0, 1);
  const crumbs = above.map((folder) => crumb(link, folder));
  return html`<nav class="trail" aria-label="Folder"><ol>${crumbs}</ol>
<form role="search" action="${roomPath(link)}"><input type="search" name="query" value="${query}"
maxlength="100" placeholder="Search by name" aria-label="Search by name"></form></nav>`;
}

export function roomTree(
  link: Link,
  { path, branches, neighbours }: Omit<RoomFrame, 'neighbours'> & Partial<RoomFrame>,
  current: Named,
): Html {
  const item = (entry: Named, content?: Html) => {
    const isCurrent = entry.id === current.id ? html` aria-current="page"` : undefined;
    const kind = isFolder(entry) ? 'folder' : 'file';
    const name = folderNameOf(link, entry);
    const href = entryPath(link, entry);
    return html`<li><a class="${kind}" href="${href}"${isCurrent}>${name}</a>${content}</li>`;
  };
  const { before = [], after = [] } = neighbours ?? {};
  const documents = isFolder(current) ? [] : [...before, current, ...after];
  const level = (depth: number): Html => {
    const nextId = path[depth + 1]?.id;
    const folders = branches[depth] ?? [];
    const open = path[depth + 1];
    const isListed = open === undefined || folders.some(({ id }) => id === open.id);
    const shown = isListed ? folders : [...folders, open];
    const items = [
      ...shown.map((folder) => item(folder, folder.id === nextId ? level(depth + 1) : undefined)),
      ...(nextId === undefined ? documents.map((entry) => item(entry)) : []),
    ];
    return items.length === 0 ? html`` : html`<ul>${items}</ul>`;
  };
  const [root] = path;
  const tree = root === undefined ? undefined : item(root, level(0));
  return html`<nav class="tree" aria-label="Folders and documents"><ul>${tree}</ul></nav>`;
}

export function folderListing(folder: RoomFolder, content: FolderContent): Html {
  const { link } = folder;
  if ('query' in content) {
    const { found, query } = content;
    if (found.length === 0) return html`<p class="empty">No name contains “${query}”.</p>`;
    const rows = found.map((entry) => row(link, entry, placeOf(link, entry)));
    return html`<ul class="entries">${rows}</ul>`;
  }
  const { entries, nextPageToken } = content;
  if (entries.length === 0) return html`<p class="empty">This folder is empty.</p>`;
  const more =
    nextPageToken === ''
      ? undefined
      : html`<p class="next-page"><a class="button" rel="next"
href="${entryPath(link, folder.folder)}?page_token=${nextPageToken}">More</a></p>`;
  return html`<ul class="entries">${entries.map((entry) => row(link, entry))}</ul>${more}`;
}

const placeOf = (link: Link, { path }: FoundEntry) =>
  path.map((folder) => folderNameOf(link, folder)).join(' / ');

function row(link: Link, entry: ListedEntry, place = ''): Html {
  const { contentType, sizeBytes = 0 } = entry;
  const href = entryPath(link, entry);
  const facts = [place, contentType === undefined ? '' : formatSize(sizeBytes, { locale: 'en' })];
  const isRefused =
    link.watermark === 1 && contentType !== undefined && !mayBeStampable(contentType);
  const isShown = contentType === undefined || viewerKindOf(contentType) !== undefined;
  const isOpened = isShown && !isRefused;
  const download =
    contentType !== undefined && entry.mayDownload && !isRefused
      ? html`<a class="button" href="${href}/download" download
aria-label="Download ${entry.name}">Download</a>`
      : undefined;
  const kind = contentType === undefined ? 'folder' : isOpened ? 'file' : 'file other';
  return html`<li><a class="${kind}" href="${href}"><span>${entry.name}</span>
<small>${facts.filter((fact) => fact !== '').join(' · ')}</small></a>${download}</li>
`;
}
