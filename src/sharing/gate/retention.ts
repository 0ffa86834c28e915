import type { Clock } from '../../base/clock.ts';
import { oldRows } from '../../storage/delete-oldest.ts';
import type { RetentionRule } from '../../storage/retention.ts';
import { verifiedAddressMs } from './codes.ts';

export const gateRetention = (now: Clock): RetentionRule[] => [
  oldRows({
    table: 'gate_codes',
    key: 'key',
    time: 'expire_time',
    ranges: () => [{ before: now() + 1 }],
  }),
  oldRows({
    table: 'verified_addresses',
    key: 'key',
    time: 'last_time',
    ranges: () => [{ before: now() - verifiedAddressMs }],
  }),
  oldRows({
    table: 'remembered_readers',
    key: 'digest',
    time: 'expire_time',
    ranges: () => [{ before: now() + 1 }],
  }),
];
