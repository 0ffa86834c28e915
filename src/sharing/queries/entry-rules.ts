// The rules of a link for documents and folders of its room, in the form of the column
// `links.entry_rules`: a JSON list of `[id, hidden, allowDownload]`, or an empty text.
import type { FolderRow, LinkRow } from '../../storage/schema/schema.ts';

export type EntryRule = {
  /** The id of a document or a folder. */
  readonly id: string;
  readonly hidden: boolean;
  readonly allowDownload?: boolean | undefined;
};

type StoredRule = readonly [id: string, hidden: 0 | 1, allowDownload: 0 | 1 | null];

export function writeEntryRules(rules: readonly EntryRule[]): string {
  if (rules.length === 0) return '';
  const stored = rules.map(({ id, hidden, allowDownload }): StoredRule => {
    const download = allowDownload === undefined ? null : allowDownload ? 1 : 0;
    return [id, hidden ? 1 : 0, download];
  });
  return JSON.stringify(stored);
}

export function readEntryRules(text: string): EntryRule[] {
  if (text === '') return [];
  return (JSON.parse(text) as StoredRule[]).map(([id, hidden, download]) => ({
    id,
    hidden: hidden === 1,
    ...(download === null ? {} : { allowDownload: download === 1 }),
  }));
}

export const hiddenIdsOf = ({ entry_rules }: LinkRow): string[] =>
  readEntryRules(entry_rules).flatMap(({ id, hidden }) => (hidden ? [id] : []));

/**
 * Returns the folders from the one of the link down to the first of `ancestors`, which lead from a
 * folder up to the top level. Undefined if the room does not contain that folder, or hides it.
 */
export function roomPathOf(
  link: LinkRow,
  ancestors: readonly FolderRow[],
): readonly FolderRow[] | undefined {
  const end = ancestors.findIndex(({ id }) => id === link.folder_id);
  if (end === -1) return undefined;
  const hidden = new Set(hiddenIdsOf(link));
  const below = ancestors.slice(0, end);
  if (below.some(({ id }) => hidden.has(id))) return undefined;
  return ancestors.slice(0, end + 1).toReversed();
}

/** Whether readers may download an entry: the nearest rule, or else the option of the link. */
export function mayDownload(link: LinkRow, ids: readonly string[]): boolean {
  const rules = new Map(readEntryRules(link.entry_rules).map((rule) => [rule.id, rule]));
  for (const id of ids) {
    const allowed = rules.get(id)?.allowDownload;
    if (allowed !== undefined) return allowed;
  }
  return link.allow_download === 1;
}
