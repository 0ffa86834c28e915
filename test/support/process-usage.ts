// Open descriptors and memory of a process, as the kernel counts them.
import { readdirSync, readFileSync } from 'node:fs';

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Returns the resident memory in MiB. */
export function residentMbOf(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Returns the processor time of all threads so far in seconds. */
export function processorSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // proc(5): the name, which may contain spaces, ends with the last bracket. utime and stime are
  // the fields 14 and 15, in clock ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
