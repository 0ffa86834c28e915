// The rules for entries of a room, in messages and rows.

import type { RoomEntryRule } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { isId } from '../../base/crypto/ids.ts';
import { invalid } from '../../base/errors/errors.ts';
import { type EntryRule, readEntryRules, writeEntryRules } from '../../storage/entry-rules.ts';
import type { LinkRow } from '../../storage/schema.ts';

/** Returns the form of the column. Throws `invalid_argument`, naming the field. */
export function storeEntryRules(rules: readonly RoomEntryRule[]): string {
  const known = new Set<string>();
  const stored = rules.map(({ documentId, folderId, hidden, allowDownload }, i): EntryRule => {
    const at = `entry_rules[${i}]`;
    const [field, id] = documentId === '' ? ['folder_id', folderId] : ['document_id', documentId];
    if ((documentId === '') === (folderId === '')) {
      throw invalid(at, 'must have exactly one of document_id and folder_id');
    }
    if (!isId(documentId === '' ? 'fld' : 'doc', id)) {
      throw invalid(`${at}.${field}`, 'must be the id of an entry of the workspace');
    }
    if (known.has(id)) throw invalid(`${at}.${field}`, 'must be in only one rule');
    if (!hidden && allowDownload === undefined) {
      throw invalid(at, 'must set hidden or allow_download');
    }
    known.add(id);
    return { id, hidden, allowDownload };
  });
  return writeEntryRules(stored);
}

export function entryRulesMessage({ entry_rules }: LinkRow) {
  return readEntryRules(entry_rules).map(({ id, hidden, allowDownload }) => ({
    ...(id.startsWith('fld_') ? { folderId: id } : { documentId: id }),
    hidden,
    ...(allowDownload === undefined ? {} : { allowDownload }),
  }));
}
