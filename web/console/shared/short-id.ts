/** The number of characters that stay at the start, after a prefix such as `doc_`, and the end. */
const shown = { start: 4, end: 5 };

/** A SHA-256 in base64url: the ID of a signing key, or the thumbprint of a client key. */
const digest = /^[\w-]{43}$/;

/** `doc_4D6G…UiNlG`; a text that is hardly longer stays as it is. */
export function shortId(id: string): string {
  if (digest.test(id)) return id.slice(0, 8);
  const [prefix = ''] = /^[a-z]+_/.exec(id) ?? [];
  const start = prefix.length + shown.start;
  if (id.length <= start + shown.end + 2) return id;
  return `${id.slice(0, start)}…${id.slice(-shown.end)}`;
}
