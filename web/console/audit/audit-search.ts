/** By what the audit log is filtered, as it stands in the address: named as in the API. */
export type AuditSearch = {
  actor?: string;
  target?: string;
  action?: string;
  code?: string;
  /** RFC 3339, so that a link means the same to a reader in another time zone. */
  start_time?: string;
  end_time?: string;
};

const texts = ['actor', 'target', 'action', 'code'] as const;
const times = ['start_time', 'end_time'] as const;

/** Leaves out what is empty, and times that are none. */
export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const found: AuditSearch = {};
  for (const name of texts) {
    const text = textOf(search[name]);
    if (text !== '') found[name] = text;
  }
  for (const name of times) {
    const date = new Date(textOf(search[name]) || Number.NaN);
    if (!Number.isNaN(date.getTime())) found[name] = date.toISOString();
  }
  return found;
}

/** The router reads a number out of an address where there is one. */
const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
