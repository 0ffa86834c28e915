import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { invalid } from '../base/errors/errors.ts';

/**
 * Returns a request's `expire_time` in milliseconds since 1970, or null if it is unset. Throws
 * `invalid_argument` unless it is in the future.
 */
export function readExpireTime(time: Timestamp | undefined, now: number): number | null {
  if (time === undefined) return null;
  const ms = Math.floor(timestampMs(time));
  if (!Number.isSafeInteger(ms) || ms <= now) throw invalid('expire_time', 'must be in the future');
  return ms;
}
