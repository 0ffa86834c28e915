// Names, addresses and other people's words in mails.
import { printableOf } from './printable.ts';

const shownMax = 100;

/** Soft hyphens, zero-width spaces and byte order marks. Emoji and Persian need the joiners. */
const invisible = /[\u00ad\u180e\u200b\u2060\ufeff]/gu;

/** The ends of names of documents that are not domains as well. */
const fileTypes =
  'pdf|docx?|xlsx?|pptx?|od[pst]|rtf|txt|csv|json|xml|html?|epub|' +
  'svg|png|jpe?g|gif|webp|mp3|mp4|wav|webm';

/** A dot that could belong to a domain, or the start of an address such as `http://localhost`. */
const linkMark = new RegExp(
  `\\.(?=[^\\s.])(?!(?:${fileTypes})(?:[^\\p{L}\\p{N}.:/@-]|$))(?!\\d+(?![\\p{L}\\d-]))|:(?=/)`,
  'giu',
);

/** One line of a text, without invisible characters. */
const plainLine = (text: string) => printableOf(text.replace(/\s+/gu, ' ')).replace(invisible, '');

/** Returns a name on one line: shortened, and without invisible characters. For subjects. */
export function shortName(name: string): string {
  const characters = [...plainLine(name)];
  const short = characters.length > shownMax ? [...characters.slice(0, shownMax), '…'] : characters;
  return short.join('');
}

/** `evil.com` becomes `evil. com`: a workspace could otherwise mail its links to strangers. */
export const mailName = (name: string): string => shortName(name).replace(linkMark, '$& ');

/** Does the same for a line of a text, which stays whole. */
export const mailLine = (line: string): string => plainLine(line).replace(linkMark, '$& ');

/** Stays whole for copying, unless a part looks like a website: the reader may choose it. */
export const mailAddress = (email: string): string =>
  /^(?!www\.)[^\s/?#=&@]+@[a-z0-9.-]+$/.test(email) ? email : mailName(email);
