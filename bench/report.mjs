// Formats the results of the rounds: a table of the servers, and the service relative to its floor.

const columns = [
  ...['req/s', 'min–max', 'p50 ms', 'p99 ms'],
  ...['CPU µs', 'main µs', 'RSS MiB', 'errors'],
];

export const ours = 'Latchkey';
export const otherBuild = 'other build';

/**
 * Each result is `{name, servers}`. Each server is `{name, rounds, peakBytes}` and is compared with
 * the first one. Builds of the service are also compared with every server that has `isRival`. A
 * round is the result of a load, `{requests, requestsPerSecond, p50Ms, p99Ms, errors}`, and the usage (see
 * usage.mjs).
 */
export function serverTable(results) {
  return table(results.flatMap(rowsOf));
}

const isBuild = ({ name }) => name === ours || name === otherBuild;

function rowsOf({ name, servers }) {
  const [first, ...others] = servers;
  const referencesOf = (server) =>
    servers.filter((one) => one === first || (one.isRival && isBuild(server) && one !== server));
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
 * Compares the medians of the service with the floor's. `targets`: `{cpuMax, throughputMin}` and
 * optionally `p99Max`, as multiples of the floor's. `passed` means that every target is met.
 */
export function verdict({ name, targets, ours: service, floor }) {
  const check = (key, label, isMet, target, reason) => {
    const ratio = medianOf(service.rounds, key) / medianOf(floor.rounds, key);
    const passed = isMet(ratio);
    const text = `${label} ${ratio.toFixed(2)} times the floor's (target ${target})`;
    return { passed, text: passed ? text : `${text}: ${reason(service.rounds, floor.rounds)}` };
  };
  const atMost = (max) => [(ratio) => ratio <= max, `<= ${max}`];
  const atLeast = (min) => [(ratio) => ratio >= min, `>= ${min}`];
  const { cpuMax, throughputMin, p99Max } = targets;
  return verdictOf(name, [
    check('cpuMicros', 'processor time', ...atMost(cpuMax), processorTimes),
    check('requestsPerSecond', 'throughput', ...atLeast(throughputMin), busyTimes),
    ...(p99Max === undefined ? [] : [check('p99Ms', 'p99', ...atMost(p99Max), busyTimes)]),
    noErrors([service, floor]),
  ]);
}

export function noErrors(servers) {
  const errors = servers.reduce((sum, { rounds }) => sum + errorsOf(rounds), 0);
  return { passed: errors === 0, text: `${errors} errors (target 0)` };
}

/** Where the processor time of a request goes, in the service and in the floor. */
function processorTimes(rounds, floorRounds) {
  const timesOf = (of) => {
    const main = medianOf(of, 'mainMicros');
    return [main, Math.max(0, medianOf(of, 'cpuMicros') - main)];
  };
  const [main, others] = timesOf(rounds);
  const [floorMain, floorOthers] = timesOf(floorRounds);
  return (
    `main thread ${rate(main)} µs per request, the floor's ${rate(floorMain)} µs; ` +
    `other threads ${rate(others)} µs, the floor's ${rate(floorOthers)} µs`
  );
}

/** Shows whether the main thread limits the throughput, or a wait and other programs do. */
export function busyTimes(rounds, otherRounds, otherName = 'the floor') {
  const percentOf = (of) =>
    whole(median(of.map((one) => (one.busiestMicros * one.requestsPerSecond) / 1e4)));
  const others = median(rounds.map(({ cores }) => cores.others));
  return (
    `the main thread was busy ${percentOf(rounds)} % of the time, that of ${otherName} ` +
    `${percentOf(otherRounds)} %; other programs used ${others.toFixed(2)} cores`
  );
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
