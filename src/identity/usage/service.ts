import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { UsageService } from '../../../gen/latchkey/identity/v1/usage_pb.js';
import { type Clock, dayMs } from '../../base/clock.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { findSubjects, findUsageCounts, usageDaysMax } from '../../credentials/usage/store.ts';
import type { Database, UsageCountRow } from '../../storage/schema/schema.ts';

export type UsageServiceOptions = {
  readonly db: Database;
  readonly now: Clock;
};

const daysDefault = 30;

export function createUsageService({
  db,
  now,
}: UsageServiceOptions): ServiceImpl<typeof UsageService> {
  return {
    async getUsage({ credentialId, startTime, endTime }) {
      const end = endTime === undefined ? now() + 1 : timestampMs(endTime);
      // A day that begins at the end is not included.
      const last = Math.ceil(end / dayMs) - 1;
      const start =
        startTime === undefined ? (last - daysDefault + 1) * dayMs : timestampMs(startTime);
      if (start >= end) throw invalid('end_time', 'must be after start_time');
      const first = Math.floor(start / dayMs);
      if (last - first >= usageDaysMax) {
        throw invalid('start_time', `must be at most ${usageDaysMax} days before end_time`);
      }
      if (!(await findSubjects(db, [credentialId])).has(credentialId)) {
        throw fail('not_found', 'No client, customer or credential has this id.');
      }
      const rows = await findUsageCounts(db, credentialId, { first, last });
      const byDay: UsageCountRow[][] = Array.from({ length: last - first + 1 }, () => []);
      for (const row of rows) byDay[row.day - first]?.push(row);
      return { points: byDay.map((counted, index) => usagePoint(first + index, counted)) };
    },
  };
}

const countMax = 0xffff_ffff;

function usagePoint(day: number, rows: readonly UsageCountRow[]) {
  const countOf = (counted: readonly UsageCountRow[]) =>
    Math.min(
      counted.reduce((sum, { count }) => sum + count, 0),
      countMax,
    );
  const refused = rows.filter(({ outcome }) => outcome !== 'issued' && outcome !== 'verified');
  return {
    time: timestampFromMs(day * dayMs),
    issued: countOf(rows.filter(({ outcome }) => outcome === 'issued')),
    refused: countOf(refused),
    verified: countOf(rows.filter(({ outcome }) => outcome === 'verified')),
    refusals: refused
      .map(({ outcome, count }) => ({ code: outcome, count: Math.min(count, countMax) }))
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
  };
}
