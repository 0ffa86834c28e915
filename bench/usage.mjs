// Reads the processor time of processes from /proc, in microseconds: see proc_pid_stat(5).
import { readFileSync } from 'node:fs';

/** The length of a clock tick in Linux. */
const tickMicros = 10_000;

/**
 * The processor time of a process and its descendants, including those that have ended. `mains`:
 * the time of the main thread of each process, by process id.
 */
export function usageOf(pid) {
  const usage = { micros: 0, mains: {} };
  const add = (id) => {
    const fields = statOf(`/proc/${id}/stat`);
    // The time of a process that has just ended counts for its parent.
    if (fields === undefined) return;
    usage.micros += sumOf(fields.slice(11, 15));
    const main = statOf(`/proc/${id}/task/${id}/stat`);
    if (main !== undefined) usage.mains[id] = sumOf(main.slice(11, 13));
    for (const child of childrenOf(id)) add(child);
  };
  add(pid);
  return usage;
}

/** The processor time of this process and of its children that ended, such as wrk. */
export const ownMicros = () => sumOf(statOf('/proc/self/stat').slice(11, 15));

/** The processor time of all processes of the machine. */
export function machineMicros() {
  const [, user, nice, system, , , irq, softirq] = read('/proc/stat').split(/\s+/, 8);
  return sumOf([user, nice, system, irq, softirq]);
}

/** The process ids of the children. */
export function childrenOf(pid) {
  const text = read(`/proc/${pid}/task/${pid}/children`)?.trim() ?? '';
  return text === '' ? [] : text.split(' ');
}

/** Runs a round of a load against a server, and adds the processor time that it used. */
export async function withUsage(server, run) {
  const before = { server: server.usage(), own: ownMicros(), machine: machineMicros() };
  const started = performance.now();
  const round = await run();
  const micros = (performance.now() - started) * 1_000;
  const after = server.usage();
  const mains = Object.entries(after.mains).map(([pid, x]) => x - (before.server.mains[pid] ?? 0));
  const postgres = differenceOf(after.postgres, before.server.postgres);
  const used = after.micros - before.server.micros;
  const load = ownMicros() - before.own;
  const others = machineMicros() - before.machine - used - load - (postgres ?? 0);
  return {
    ...round,
    cpuMicros: used / round.requests,
    mainMicros: mains.reduce((sum, x) => sum + x, 0) / round.requests,
    busiestMicros: Math.max(...mains) / round.requests,
    postgresMicros: postgres && postgres / round.requests,
    /** The cores that each program used during the round. */
    cores: {
      server: used / micros,
      load: load / micros,
      postgres: (postgres ?? 0) / micros,
      others: Math.max(0, others / micros),
    },
  };
}

const differenceOf = (after, before) => (after === undefined ? undefined : after - before);

const sumOf = (ticks) => ticks.reduce((sum, text) => sum + Number(text) * tickMicros, 0);

/** The fields of /proc/<pid>/stat from `state` on; undefined if the process has ended. */
const statOf = (file) =>
  read(file)
    ?.replace(/^.*\) /s, '')
    .split(' ');

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
