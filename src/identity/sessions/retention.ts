import type { Clock } from '../../base/clock.ts';
import { oldRows } from '../../storage/delete-oldest.ts';
import type { RetentionRule } from '../../storage/retention.ts';
import { deviceSignInMsMax } from './device-methods.ts';
import { sessionMsMax } from './session.ts';
import { familiarMs } from './sign-in-throttle.ts';

export const sessionRetention = (now: Clock): RetentionRule[] => [
  oldRows({
    table: 'sessions',
    key: 'id',
    time: 'expire_time',
    // A session that expires later than any live session was created while the clock was ahead.
    ranges: () => [{ before: now() + 1 }, { from: now() + sessionMsMax + 1 }],
  }),
  oldRows({
    table: 'device_sign_ins',
    key: 'id',
    time: 'expire_time',
    ranges: () => [{ before: now() + 1 }, { from: now() + deviceSignInMsMax + 1 }],
  }),
  oldRows({
    table: 'familiar_networks',
    key: 'key',
    time: 'last_time',
    ranges: () => [{ before: now() - familiarMs }],
  }),
];
