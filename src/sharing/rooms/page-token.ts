// Page tokens of the list of a room. A token holds the position of the last entry of a page and not
// only its id, so the next page is right even if the entry was hidden, moved or renamed. Without a
// lookup, a forged token does not reveal where the name of a hidden entry sorts.
import type { EntryPosition } from './store.ts';

export function entryTokenAt({ id, name }: EntryPosition): string {
  return Buffer.from(`1.${id}.${name}`).toString('base64url');
}

/** Returns undefined if the text is not a page token. */
export function positionAt(token: string): EntryPosition | undefined {
  const text = Buffer.from(token, 'base64url').toString();
  const [, id, name] = /^1\.((?:fld|doc)_\w{1,64})\.(\P{Cc}{1,255})$/u.exec(text) ?? [];
  return id === undefined || name === undefined ? undefined : { id, name };
}
