import { domainToASCII } from 'node:url';

const lengthMax = 254;

// The pattern of HTML's `<input type=email>`, but the domain must contain a dot. `%` and `!` in the
// local part are refused: mail servers may deliver `user%other.com@example.com` to another domain.
const pattern =
  /^[a-z0-9.#$&'*+/=?^_`{|}~-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/;

const ascii = /^[\x20-\x7e]*$/;

/** In lower case, with the domain in ASCII (RFC 5891). Undefined for other texts. */
export function readEmail(text: string): string | undefined {
  const trimmed = text.trim();
  // Conversion takes time that grows with the length.
  if (trimmed.length > lengthMax) return undefined;
  const at = trimmed.lastIndexOf('@') + 1;
  const local = trimmed.slice(0, at);
  // In lower case, the Kelvin sign (U+212A) becomes the letter k, so the text would name another
  // address.
  if (!ascii.test(local)) return undefined;
  const email = (local + asciiDomainOf(trimmed.slice(at))).toLowerCase();
  // Mail programs would decode an encoded word (RFC 2047) and show another address.
  const isEncoded = email.includes('=?');
  return email.length <= lengthMax && !isEncoded && pattern.test(email) ? email : undefined;
}

/** Returns a domain with a dot in lower case and ASCII, or undefined if the text is not one. */
export function readDomain(text: string): string | undefined {
  return readEmail(`a@${text}`)?.slice('a@'.length);
}

/** An ASCII domain is unchanged, so that the pattern decides about it. */
function asciiDomainOf(domain: string): string {
  return ascii.test(domain) ? domain : domainToASCII(domain);
}

/**
 * The address without its subaddress (RFC 5233 §1). Most mail servers deliver both to one mailbox.
 * For limits only: the addresses of two readers can differ only in the subaddress.
 */
export const mailboxOf = (email: string): string => email.replace(/(?<=^[^+]+)\+.*(?=@)/, '');
