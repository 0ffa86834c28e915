/** The total time that readers spent on each page. */
import type { PageView } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { formatDuration } from '../../../src/http/format-duration.ts';
import type { Bar } from './bar-chart.tsx';

const barsMax = 62;

type PageTime = Pick<PageView, 'page' | 'durationMs'>;

export type PageBar = Bar & {
  /** Such as `page 3` or `pages 1–5`. */
  readonly phrase: string;
};

/** `pageCount`: 0 if unknown. In long documents, several pages share one bar. */
export function sumPageTimes(
  views: readonly { readonly pages: readonly PageTime[] }[],
  pageCount: number,
): PageBar[] {
  const times = new Map<number, number>();
  for (const { page, durationMs } of views.flatMap(({ pages }) => pages)) {
    times.set(page, (times.get(page) ?? 0) + durationMs);
  }
  const last = [...times.keys()].reduce((one, other) => Math.max(one, other), pageCount);
  const together = pagesPerBar(last);
  const bars = Array.from({ length: Math.ceil(last / together) }, (_, index) => {
    const first = index * together + 1;
    return { first, last: Math.min(first + together - 1, last), value: 0 };
  });
  for (const [page, ms] of times) {
    const bar = bars[Math.floor((page - 1) / together)];
    if (bar !== undefined) bar.value += ms;
  }
  return bars.map((bar) => {
    const { first, last, value } = bar;
    const label = first === last ? `${first}` : `${first}–${last}`;
    const phrase = first === last ? `page ${label}` : `pages ${label}`;
    return { label, shortLabel: label, phrase, value, text: formatDuration(value) };
  });
}

/** The smallest of 1, 2, 5, 10, 20, … that keeps the number of bars within the limit. */
function pagesPerBar(pages: number): number {
  for (let ten = 1; ; ten *= 10) {
    const round = [1, 2, 5].find((digit) => pages <= digit * ten * barsMax);
    if (round !== undefined) return round * ten;
  }
}
