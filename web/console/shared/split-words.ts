/** Splits a text at whitespace, commas and semicolons, without duplicates. */
export function splitWords(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((word) => word !== ''))];
}

/** Returns an error if there are too many words, otherwise null. */
export function validateCount(words: readonly string[], max: number): string | null {
  return words.length > max ? `Enter at most ${max} items. You entered ${words.length}.` : null;
}
