// Lists of email addresses and domains that may, and may not, open a link. A stored list has one
// space between its entries: addresses as `readEmail` returns them, and domains after an `@`.
import { invalid } from '../errors/errors.ts';
import { readDomain, readEmail } from './email.ts';

/** A list of links with the largest lists fits in a gRPC message. */
const charactersMax = 8_000;

export function storeList(field: 'allow_list' | 'block_list', entries: readonly string[]): string {
  const read = entries.map((entry, i) => {
    const stored = readListEntry(entry);
    if (stored !== undefined) return stored;
    throw invalid(
      field,
      `entry ${i + 1} must be an email address, or a domain such as @example.com`,
    );
  });
  const list = [...new Set(read)].join(' ');
  if (list.length > charactersMax) {
    throw invalid(field, `must have at most ${charactersMax} characters in total`);
  }
  return list;
}

/** Returns the stored form of an address or a domain; undefined for other texts. */
export function readListEntry(entry: string): string | undefined {
  const text = entry.trim();
  if (!text.startsWith('@')) return readEmail(text);
  const domain = readDomain(text.slice(1));
  return domain && `@${domain}`;
}

export const entriesOf = (list: string): string[] => (list === '' ? [] : list.split(' '));

type Lists = { readonly allow_list: string; readonly block_list: string };

export function admits(
  { allow_list, block_list }: Lists,
  { email, emailVerified }: { readonly email: string; readonly emailVerified: boolean },
): boolean {
  if (allow_list === '' && block_list === '') return true;
  if (email === '' || contains(block_list, email)) return false;
  return allow_list === '' || (emailVerified && contains(allow_list, email));
}

/** Neither an address nor a domain contains a space. */
function contains(list: string, email: string): boolean {
  const entries = ` ${list} `;
  const domain = email.slice(email.lastIndexOf('@'));
  return entries.includes(` ${email} `) || entries.includes(` ${domain} `);
}
