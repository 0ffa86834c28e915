/** 32 characters that are hard to confuse, so that each byte chooses one without a bias. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Returns a password with 80 random bits, such as `k7mp-2xrt-9qwz-hb4c`. */
export function generatePassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const text = Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('');
  return text.replace(/.{4}(?!$)/g, '$&-');
}
