/** How long readers spend on each page, of a document or of a link. */
import { Paper, Text, Title } from '@mantine/core';
import { formatDuration } from '../../../clients/cli/src/base/format-duration.ts';
import type { Insight } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { longestBar } from '../shared/bar-chart.tsx';
import { type DrawPage, type HeatCell, HeatStrip } from './heat-strip.tsx';

type TimePerPageProps = {
  readonly insight: Insight;
  /** Draws the pages of the document; unset if there are no pictures. */
  readonly draw?: DrawPage | undefined;
};

export function TimePerPage({ insight: { pages, coveredViewCount }, draw }: TimePerPageProps) {
  const cells = pages.map(({ page, averageDurationMs, viewCount }): HeatCell => {
    const text = viewCount === 0 ? '—' : formatDuration(averageDurationMs);
    return { page, value: averageDurationMs, text, note: viewsText(viewCount) };
  });
  const longest = longestBar(cells);
  if (longest === undefined || cells.length < 2) return null;
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="time-per-page">
      <Title order={2} size="h3" id="time-per-page">
        Average time per page
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Counts views that showed the page for at least a second, out of{' '}
        {viewsText(coveredViewCount)}. Longest: page {longest.page}, {longest.text}.
      </Text>
      <HeatStrip label="Chart of the average time per page" cells={cells} draw={draw} />
    </Paper>
  );
}

const viewsText = (count: number) => (count === 1 ? '1 view' : `${count.toLocaleString()} views`);
