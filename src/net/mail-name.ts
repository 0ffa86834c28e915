// Names in mails: of workspaces, documents and links.

const shownMax = 100;

// Control characters, and characters that change the direction of the text.
const invisible = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/**
 * Returns a name for a mail: shortened, and without text that mail programs turn into a link.
 * Otherwise a workspace could mail its own links to strangers.
 */
export function mailName(name: string): string {
  const characters = [...name.replace(/\s+/gu, ' ').replace(invisible, '')];
  const short = characters.length > shownMax ? [...characters.slice(0, shownMax), '…'] : characters;
  return short.join('').replace(/([./:@])(?=\S)/gu, '$1\u200c');
}
