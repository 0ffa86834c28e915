// The ids of the audiences of a client or customer, in the stored form: space-separated, or null.

const none: readonly string[] = [];

export function parseAudienceIds(text: string | null | undefined): readonly string[] {
  return text === null || text === undefined ? none : text.split(' ');
}

/** Removes duplicates. */
export function storedAudienceIds(ids: readonly string[]): string | null {
  return ids.length === 0 ? null : [...new Set(ids)].join(' ');
}
