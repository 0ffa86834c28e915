// Replaces the email address of an erased person.

/** An address that no mail reaches (RFC 2606 §2). An allow list with it admits no one else. */
export const pseudonymOf = (userId: string) => `${userId.toLowerCase()}@deleted.invalid`;

/** Replaces the address where it is a whole address, in any letter case. */
export function replaceAddress(text: string, email: string, pseudonym: string): string {
  const literal = email.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const whole = new RegExp(
    `(?<!${localPart})${literal}(?![\\p{L}\\p{N}_-]|[.][\\p{L}\\p{N}])`,
    'giu',
  );
  return text.replace(whole, pseudonym);
}

/** A character of the part before the `@` (RFC 5322 §3.2.3, RFC 6532 §3.2). */
const localPart = "[\\p{L}\\p{N}.!#$%&'*+/=?^_`{|}~-]";
