/** Splits a text at whitespace and commas, without duplicates. */
export function splitWords(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];
}

/** Returns the error of too many words; null if there is none. */
export function validateCount(words: readonly string[], max: number): string | null {
  return words.length > max ? `Enter at most ${max} items. You entered ${words.length}.` : null;
}
