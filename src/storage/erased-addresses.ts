// Replaces the email address of an erased person.

/** An address that no mail reaches (RFC 2606 §2). A list with it stays as strict as before. */
export const pseudonymOf = (userId: string) => `${userId.toLowerCase()}@deleted.invalid`;

/** Replaces the address where it is a whole address, in any letter case. */
export function replaceAddress(text: string, email: string, pseudonym: string): string {
  const literal = email.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const whole = new RegExp(`(?<![\\w.%+-])${literal}(?![\\w-]|[.][\\w])`, 'gi');
  return text.replace(whole, pseudonym);
}
