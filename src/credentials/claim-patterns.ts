// The patterns of a federated identity: exact texts in which a `*` stands for one or more
// characters of a segment. Colons and slashes separate segments. Without regular expressions, no
// pattern is slow.
import { invalid } from '../base/errors/errors.ts';

/** Each segment, and each separator between two segments. */
const partsOf = (text: string) => text.split(/([:/])/);

/** Throws `invalid_argument` unless the pattern can match something. */
export function checkPattern(field: string, pattern: string): void {
  if (!/^[ -~]+$/.test(pattern)) throw invalid(field, 'must contain printable ASCII characters');
  if (partsOf(pattern).some((part) => part.split('*').length > 2)) {
    throw invalid(field, 'must contain at most one * between two separators (: or /)');
  }
}

/** Checks the pattern of a `sub`, which must not match the subjects of everybody. */
export function checkSubjectPattern(field: string, pattern: string): void {
  checkPattern(field, pattern);
  if (!/[0-9A-Za-z]/.test(pattern)) throw invalid(field, 'must contain a letter or a digit');
}

export function matchesPattern(pattern: string, value: string): boolean {
  if (!pattern.includes('*')) return pattern === value;
  const parts = partsOf(value);
  const patterns = partsOf(pattern);
  return (
    parts.length === patterns.length &&
    patterns.every((part, i) => matchesPart(part, parts[i] ?? ''))
  );
}

function matchesPart(pattern: string, part: string): boolean {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return pattern === part;
  return (
    part.length > before.length + after.length && part.startsWith(before) && part.endsWith(after)
  );
}
