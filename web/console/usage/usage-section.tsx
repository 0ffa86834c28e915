/** The token requests and verifications of a client, a customer or a key in the last days. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { useQuery } from '@connectrpc/connect-query';
import { Stack } from '@mantine/core';
import { type UsagePoint, UsageService } from '../../../gen/latchkey/identity/v1/usage_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { BarChart } from '../shared/bar-chart.tsx';
import { Facts } from '../shared/facts.tsx';
import { FigureRow } from '../shared/figure-row.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Section } from '../shared/section.tsx';

export function UsageSection({ id }: { readonly id: string }) {
  return useMayReadUsage() ? (
    <Section title="Usage">
      <Usage id={id} />
    </Section>
  ) : null;
}

export const useMayReadUsage = () => useHasScope()('audit:read');

export function Usage({ id }: { readonly id: string }) {
  const query = useQuery(UsageService.method.getUsage, { credentialId: id });
  return (
    <QueryResult value={query.data?.points} query={query} label="usage">
      {(points) => <UsageFigures points={points} />}
    </QueryResult>
  );
}

const timeZone = 'UTC';
const dayText = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone });
const shortDayText = new Intl.DateTimeFormat(undefined, {
  ...{ day: 'numeric', month: 'short', timeZone },
});

function UsageFigures({ points }: { readonly points: readonly UsagePoint[] }) {
  const sum = (name: 'issued' | 'refused' | 'verified') =>
    points.reduce((total, point) => total + point[name], 0);
  const bars = points.map(({ time, issued }) => {
    const day = time === undefined ? new Date() : timestampDate(time);
    return {
      ...{ label: dayText.format(day), shortLabel: shortDayText.format(day) },
      ...{ value: issued, text: issued.toLocaleString() },
    };
  });
  const refusals = sumByCode(points);
  return (
    <Stack gap="md">
      <FigureRow
        figures={[
          { name: 'Issued tokens', value: sum('issued').toLocaleString() },
          { name: 'Refused requests', value: sum('refused').toLocaleString() },
          { name: 'Verifications', value: sum('verified').toLocaleString() },
        ]}
      />
      <BarChart
        title="Issued tokens per day"
        summary={
          `${sum('issued') === 0 ? 'None in the' : 'The'} last ${points.length} days (UTC). ` +
          'Verifications by services that use the JWKS are not counted.'
        }
        bars={bars}
        columns={['Day', 'Issued tokens']}
      />
      {refusals.length === 0 ? null : (
        <Facts
          facts={refusals.map(([code, count]) => ({ name: code, value: count.toLocaleString() }))}
        />
      )}
    </Stack>
  );
}

/** The highest count first. */
function sumByCode(points: readonly UsagePoint[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { code, count } of points.flatMap(({ refusals }) => refusals)) {
    counts.set(code, (counts.get(code) ?? 0) + count);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
