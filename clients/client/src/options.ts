// Checks options when a client is created, such as those of an unset environment variable. The
// messages never contain the values, which may be secrets.

/** A larger message of an answer is refused, also after decompression. */
export const messageBytesMax = 64 * 1024 * 1024;

const urls = {
  baseUrl: 'https://latchkey.example.com',
  grpcUrl: 'https://latchkey.example.com:50051',
  publicUrl: 'https://latchkey.example.com',
} as const;

/** Throws a TypeError that names the option and the accepted values. */
export function requireOption(
  isValid: boolean,
  name: string,
  value: unknown,
  accepted: string,
): asserts isValid {
  if (isValid) return;
  const isUnset = value === undefined || value === null || value === '';
  throw new TypeError(isUnset ? `${name} is not set. It ${accepted}` : `${name} ${accepted}`);
}

/** An HTTP URL without a user name and a password, which `fetch` refuses. */
export function urlOption(name: keyof typeof urls, value: string): URL {
  const isUrl = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  requireOption(isUrl, name, value, `must be a URL such as ${urls[name]}.`);
  const url = new URL(value);
  const isBare = url.username === '' && url.password === '';
  requireOption(isBare, name, value, 'must not contain a user name or a password.');
  return url;
}
