/** The figures about the readers of a document or a link. */

import { Text } from '@mantine/core';
import { formatDuration } from '../../../clients/cli/src/base/format-duration.ts';
import type { Insight } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { FigureRow } from '../shared/figure-row.tsx';

type InsightFiguresProps = {
  readonly insight: Insight | undefined;
  /** Of all versions. Known before the insight is loaded. */
  readonly viewCount: number;
  /** In a visit to a folder, a reader may view several documents. */
  readonly isRoom?: boolean;
};

export function InsightFigures({ insight, viewCount, isRoom = false }: InsightFiguresProps) {
  const version = insight?.version ?? 1;
  const shown = insight?.viewCount ?? viewCount;
  const ofVersion = version > 1 ? `, version ${version}` : '';
  return (
    <div>
      <FigureRow
        figures={[
          {
            name: isRoom ? 'Visits' : 'Views',
            value: (version > 1 ? Math.max(shown, viewCount) : shown).toLocaleString(),
          },
          {
            name: `Readers${ofVersion}`,
            value: insight?.visitorCount.toLocaleString() ?? '—',
          },
          { name: `Average time${ofVersion}`, value: timeText(insight) },
          ...(insight?.version === 0
            ? []
            : [{ name: `Completion${ofVersion}`, value: shareText(insight?.completion) }]),
          {
            name: `Downloads${ofVersion}`,
            value: insight?.downloadCount.toLocaleString() ?? '—',
          },
        ]}
      />
      {version > 1 ? (
        <Text size="xs" c="dimmed" mt={4}>
          Views and the list of readers cover all versions. Version {version} has{' '}
          {shown === 1 ? '1 view' : `${shown.toLocaleString()} views`}.
        </Text>
      ) : null}
    </div>
  );
}

const timeText = (insight: Insight | undefined) =>
  insight === undefined || insight.averageDurationMs === 0
    ? '—'
    : formatDuration(insight.averageDurationMs);

/** A share from 0 to 1 as a percentage. */
const shareText = (share: number | undefined) =>
  share === undefined ? '—' : `${Math.round(share * 100)}%`;
