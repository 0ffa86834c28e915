// Formats the results of the rounds: a table of the servers, and the service relative to its floor.

const columns = [
  ...['req/s', 'min–max', 'p50 ms', 'p99 ms'],
  ...['CPU µs', 'main µs', 'RSS MiB', 'errors'],
];

export const ours = 'Latchkey';
export const otherBuild = 'other build';

/**
 * Each result is `{name, servers}`. Each server is `{name, rounds, peakBytes}` and is compared with
 * the first one. The service is also compared with another build of it. A round is the result of a
 * load, `{requests, requestsPerSecond, p50Ms, p99Ms, errors}`, and the usage (see usage.mjs).
 */
export function serverTable(results) {
  return table(results.flatMap(rowsOf));
}

function rowsOf({ name, servers }) {
  const [first, ...others] = servers;
  const referencesOf = (server) =>
    servers.filter((one) => one === first || (one.name === otherBuild && server.name === ours));
  return [
    [name, ...columns],
    ...serverRows(first),
    ...others.flatMap((server) => [
      ...serverRows(server),
      ...referencesOf(server).map((reference) => ratioRow(server, reference)),
    ]),
    [],
  ];
}

function serverRows({ name, rounds, peakBytes }) {
  const rates = rounds.map((round) => round.requestsPerSecond);
  const postgres = medianOf(rounds, 'postgresMicros');
  const row = [
    `  ${name}`,
    rate(median(rates)),
    `${rate(Math.min(...rates))}–${rate(Math.max(...rates))}`,
    medianOf(rounds, 'p50Ms').toFixed(2),
    medianOf(rounds, 'p99Ms').toFixed(2),
    rate(medianOf(rounds, 'cpuMicros')),
    rate(medianOf(rounds, 'mainMicros')),
    whole(peakBytes / 2 ** 20),
    whole(errorsOf(rounds)),
  ];
  if (rounds[0].postgresMicros === undefined) return [row];
  return [row, ['    PostgreSQL', '', '', '', '', rate(postgres)]];
}

function ratioRow(server, reference) {
  const of = ({ rounds }, key) => medianOf(rounds, key);
  const ratio = (key) => (of(server, key) / of(reference, key)).toFixed(2);
  return [
    `    / ${reference.name}`,
    ratio('requestsPerSecond'),
    '',
    ratio('p50Ms'),
    ratio('p99Ms'),
    ratio('cpuMicros'),
    ratio('mainMicros'),
    (server.peakBytes / reference.peakBytes).toFixed(2),
  ];
}

/**
 * Compares the medians of the service and of the floor. `passed` means that every target is met.
 * The target of p99 is optional.
 */
export function verdict({ name, targets, ours: service, floor }) {
  const ratio = (key) => medianOf(service.rounds, key) / medianOf(floor.rounds, key);
  const throughput = ratio('requestsPerSecond');
  const p99 = ratio('p99Ms');
  const errors = errorsOf(service.rounds) + errorsOf(floor.rounds);
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

export function errorsOf(rounds) {
  return rounds.reduce((sum, round) => sum + round.errors, 0);
}

export const medianOf = (rounds, key) => median(rounds.map((round) => round[key]));

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
  const widths = columns.map(() => 0);
  widths.push(0);
  for (const cells of rows) {
    for (const [i, cell] of cells.entries()) widths[i] = Math.max(widths[i], cell.length);
  }
  const line = (cells) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ');
  return rows.map(line).join('\n');
}
