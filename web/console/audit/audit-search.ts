/** The audit log filter in the URL. Its names are those of the API. */
export type AuditSearch = {
  actor?: string;
  target?: string;
  action?: string;
  code?: string;
  /** RFC 3339, so that a shared URL means the same in every time zone. */
  start_time?: string;
  end_time?: string;
};

const texts = ['actor', 'target', 'action', 'code'] as const;
const times = ['start_time', 'end_time'] as const;

/** Ignores empty values and invalid times. */
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

/** The router parses numeric search values as numbers. */
const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
