// Reads fields that many methods have.
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { invalid } from '../base/errors/errors.ts';
import { isPrintable } from '../base/net/printable.ts';

/** Throws `invalid_argument` if the field `name` contains characters that disguise a name. */
export function printableName(name: string): string {
  if (!isPrintable(name)) throw invalid('name', 'must not contain control characters');
  return name;
}

/** Milliseconds since 1970; null if unset. Throws `invalid_argument` unless in the future. */
export function readExpireTime(time: Timestamp | undefined, now: number): number | null {
  if (time === undefined) return null;
  const ms = Math.floor(timestampMs(time));
  if (!Number.isSafeInteger(ms) || ms <= now) throw invalid('expire_time', 'must be in the future');
  return ms;
}
