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
