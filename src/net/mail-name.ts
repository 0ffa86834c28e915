// Names in mails: of workspaces, documents, links and readers.
import { printableOf } from './printable.ts';

const shownMax = 100;

/**
 * Returns a name for a mail: shortened, and without text that mail programs turn into a link.
 * Otherwise a workspace could mail its own links to strangers.
 */
export function mailName(name: string): string {
  const characters = [...printableOf(name.replace(/\s+/gu, ' '))];
  const short = characters.length > shownMax ? [...characters.slice(0, shownMax), '…'] : characters;
  return short.join('').replace(/([./:@])(?=\S)/gu, '$1\u200c');
}
