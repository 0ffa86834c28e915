// Formats the results of the rounds: a table of the servers, and the service relative to its floor.

const columns = ['server', 'requests/s', 'min–max', 'p50 ms', 'p99 ms', 'peak RSS', 'errors'];

/**
 * Each server is `{name, rounds, peakBytes}`. A round is the result of a load:
 * `{requestsPerSecond, p50Ms, p99Ms, errors}`.
 */
export function serverTable(servers) {
  return table([columns, ...servers.map(row)]);
}

function row({ name, rounds, peakBytes }) {
  const rates = rounds.map((round) => round.requestsPerSecond);
  return [
    name,
    rate(median(rates)),
    `${rate(Math.min(...rates))}–${rate(Math.max(...rates))}`,
    median(rounds.map((round) => round.p50Ms)).toFixed(2),
    median(rounds.map((round) => round.p99Ms)).toFixed(2),
    `${whole(peakBytes / 2 ** 20)} MiB`,
    whole(errorsOf(rounds)),
  ];
}

/**
 * Compares the medians of the service and of the floor. `passed` means that every target is met.
 * The target of p99 is optional.
 */
export function verdict({ name, targets, ours, floor }) {
  const ratio = (of) => median(ours.rounds.map(of)) / median(floor.rounds.map(of));
  const throughput = ratio((round) => round.requestsPerSecond);
  const p99 = ratio((round) => round.p99Ms);
  const errors = errorsOf(ours.rounds) + errorsOf(floor.rounds);
  const checks = [
    {
      passed: throughput >= targets.throughputMin,
      text: `throughput ${throughput.toFixed(2)} of the floor's (target >= ${targets.throughputMin})`,
    },
    ...(targets.p99Max === undefined
      ? []
      : [
          {
            passed: p99 <= targets.p99Max,
            text: `p99 ${p99.toFixed(2)} times the floor's (target <= ${targets.p99Max})`,
          },
        ]),
    { passed: errors === 0, text: `${errors} errors (target 0)` },
  ];
  return verdictOf(name, checks);
}

/** Each check is `{passed, text}`. */
export function verdictOf(name, checks) {
  return {
    lines: checks.map(({ passed, text }) => `${passed ? 'PASS' : 'MISS'}  ${name}: ${text}`),
    passed: checks.every(({ passed }) => passed),
  };
}

function errorsOf(rounds) {
  return rounds.reduce((sum, round) => sum + round.errors, 0);
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function rate(value) {
  return value < 100 ? value.toFixed(1) : whole(value);
}

function whole(value) {
  return Math.round(value).toLocaleString('en');
}

/** The first column is left-aligned, the others right-aligned. */
function table(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((cells) => cells[i].length)));
  const line = (cells) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ');
  const [head, ...body] = rows;
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join(
    '\n',
  );
}
