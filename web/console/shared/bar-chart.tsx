/** A bar chart, with the same data as a table for screen readers and for exact values. */
import { Table, Text, Title } from '@mantine/core';
import { useId } from 'react';
import classes from './bar-chart.module.css';

export type Bar = {
  readonly label: string;
  /** Shown below the bar. */
  readonly shortLabel: string;
  readonly value: number;
  /** The formatted value. */
  readonly text: string;
};

export type BarChartProps = {
  readonly title: string;
  /** One sentence that sums up the data. */
  readonly summary: string;
  readonly bars: readonly Bar[];
  /** The column titles of the table: of the bars, such as `Day`, and of their values. */
  readonly columns: readonly [string, string];
};

export function BarChart({ title, summary, bars, columns }: BarChartProps) {
  const id = useId();
  return (
    <figure className={classes.figure} aria-labelledby={id}>
      <figcaption>
        <Title order={3} size="h5" id={id}>
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {summary}
        </Text>
      </figcaption>
      <Plot bars={bars} />
      <details className={classes.details}>
        <summary>Show as table</summary>
        {/* Keyboard users must be able to scroll it. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
        <section className={classes.scrolls} tabIndex={0} aria-label={`${title}, as a table`}>
          <BarTable title={title} bars={bars} columns={columns} />
        </section>
      </details>
    </figure>
  );
}

/** The newest first: the whole table is long. */
function BarTable({ title, bars, columns }: Omit<BarChartProps, 'summary'>) {
  const [first, second] = columns;
  return (
    <Table aria-label={title} verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{first}</Table.Th>
          <Table.Th scope="col">{second}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {[...bars].reverse().map(({ label, text }) => (
          <Table.Tr key={label}>
            <Table.Th scope="row" fw="normal">
              {label}
            </Table.Th>
            <Table.Td>{text}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const labelsMax = 7;

function Plot({ bars }: { readonly bars: readonly Bar[] }) {
  const longest = longestBar(bars);
  const step = Math.ceil(bars.length / labelsMax);
  const labelled = bars.filter((_, index) => index % step === 0);
  // A label below several bars belongs to the first one.
  const textAlign = step > 1 ? 'start' : 'center';
  const gridTemplateColumns = `repeat(${bars.length}, minmax(0, 1fr))`;
  return (
    <div className={classes.plot} aria-hidden="true">
      <div className={classes.top}>{longest?.text}</div>
      <div className={classes.bars} style={{ gridTemplateColumns }}>
        {bars.map(({ label, value, text }) => (
          <div key={label} className={classes.column} title={`${label}: ${text}`}>
            {value === 0 ? null : (
              <div
                className={classes.bar}
                style={{ height: `${(100 * value) / (longest?.value ?? value)}%` }}
              />
            )}
          </div>
        ))}
      </div>
      <div className={classes.labels} style={{ gridTemplateColumns, textAlign }}>
        {labelled.map(({ label, shortLabel }, index) => {
          const start = index * step + 1;
          const end = Math.min(start + step, bars.length + 1);
          return (
            <span key={label} style={{ gridColumn: `${start} / ${end}` }}>
              {/* The last label is omitted if it does not fit. */}
              {step > 1 && end - start < step ? '' : shortLabel}
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** The first bar with the highest value. */
export function longestBar<Item extends Pick<Bar, 'value'>>(
  bars: readonly Item[],
): Item | undefined {
  return bars.reduce<Item | undefined>(
    (longest, bar) => (bar.value > (longest?.value ?? 0) ? bar : longest),
    undefined,
  );
}
