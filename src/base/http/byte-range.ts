// Conditional and range requests (RFC 9110 §13, §14) for bytes of known size and entity tag.
import { fail } from '../errors/errors.ts';

export type RangeRequest = {
  /** The headers of the same names. Empty if absent. */
  readonly range: string;
  readonly ifRange: string;
  readonly ifNoneMatch: string;
  readonly ifMatch?: string;
};

export type ByteSelection = {
  readonly notModified: boolean;
  readonly partial: boolean;
  readonly offset: number;
  readonly length: number;
};

/** Ignores malformed ranges (§14.2). Throws `range_not_satisfiable` or `precondition_failed`. */
export function selectBytes(request: RangeRequest, size: number, etag: string): ByteSelection {
  const whole = { notModified: false, partial: false, offset: 0, length: size };
  // Here an empty `ifMatch` means that the header is absent.
  requireMatch(request.ifMatch || undefined, etag);
  if (etagMatches(request.ifNoneMatch, etag)) return { ...whole, notModified: true, length: 0 };
  if (request.ifRange !== '' && request.ifRange !== etag) return whole;
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(request.range.trim()) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return whole;
  const [from, to] =
    first === ''
      ? [Math.max(0, size - Number(last)), size - 1]
      : [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  // A last position before the first is malformed (§14.1.2), not out of range.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return whole;
  if (from >= size || (first === '' && Number(last) === 0)) {
    throw fail(
      'range_not_satisfiable',
      `The range must begin before the end of the document at byte ${size}.`,
      {
        headers: { 'content-range': `bytes */${size}` },
      },
    );
  }
  return { notModified: false, partial: true, offset: from, length: to - from + 1 };
}

/** Whether the request has a range, but no condition that names an entity tag. */
export function isUnconditionalRange({ range, ifRange, ifMatch = '' }: RangeRequest): boolean {
  return range !== '' && ifRange === '' && ['', '*'].includes(ifMatch.trim());
}

/** Whether `If-None-Match` contains the tag, by the weak comparison of RFC 9110 §8.8.3.2. */
export function etagMatches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** By the strong comparison (§13.1.1). Check it before `If-None-Match` (§13.2.2). */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  if (ifMatch.split(',').some((tag) => tag.trim() === etag)) return;
  throw fail('precondition_failed', 'If-Match does not contain the current entity tag.');
}
