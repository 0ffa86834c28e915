/** Fields that hold several words, one per line or apart from each other otherwise. */

/** What the field holds, without repetitions. */
export function splitWords(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];
}

/** What is wrong with how many there are; null if nothing is. */
export function validateCount(words: readonly string[], max: number): string | null {
  return words.length > max ? `These are ${words.length}; at most ${max} fit.` : null;
}
