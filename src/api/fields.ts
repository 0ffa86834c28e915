// Reads fields that many methods have.
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { invalid } from '../base/errors/errors.ts';
import { isBlank, isPrintable } from '../base/net/printable.ts';

/**
 * Throws `invalid_argument` if the field `name` has characters that disguise it, or no visible
 * character. Accepts an empty name.
 */
export function printableName(name: string): string {
  if (name !== '' && isBlank(name)) throw invalid('name', 'must contain a visible character');
  if (!isPrintable(name)) throw invalid('name', 'must not contain control characters');
  return name;
}

/** Like `printableName`, but refuses an empty name. */
export function requiredName(name: string): string {
  if (name === '') throw invalid('name', 'is required');
  return printableName(name);
}

/** Milliseconds since 1970; null if unset. Throws `invalid_argument` unless in the future. */
export function readExpireTime(time: Timestamp | undefined, now: number): number | null {
  if (time === undefined) return null;
  const ms = Math.floor(timestampMs(time));
  if (!Number.isSafeInteger(ms) || ms <= now) throw invalid('expire_time', 'must be in the future');
  return ms;
}

/** Control characters other than line breaks and tabs, and characters that change the direction. */
const refused = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;

/** Throws `invalid_argument` for a text of several lines that is blank or disguises itself. */
export function requirePlainText(field: string, text: string): void {
  if (isBlank(text)) throw invalid(field, 'must not be blank');
  if (refused.test(text)) throw invalid(field, 'must not contain control characters');
}
