// Sets the clock of a running program with libfaketime.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getuid } from 'node:process';

const dayMs = 24 * 60 * 60_000;

export type ProgramClock = {
  /** The environment variables for the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets how many days the program's clock is ahead of the true time. */
  set(daysAhead: number): void;
};

export function openProgramClock(folder: string): ProgramClock {
  const file = path.join(folder, 'clock');
  const clock: ProgramClock = {
    env: {
      LD_PRELOAD: libraryPath(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timers are not affected; only the time of day jumps.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    set(daysAhead) {
      writeFileSync(file, `${daysAhead < 0 ? '' : '+'}${(daysAhead * dayMs) / 1000}\n`);
    },
  };
  clock.set(0);
  return clock;
}

/** Installs the Debian package if it is missing and this user is root. */
function libraryPath(): string {
  const found = findLibrary();
  if (found !== undefined) return found;
  if (getuid?.() !== 0) throw new Error('libfaketime is missing: install the package faketime');
  try {
    execFileSync('apt-get', ['update'], { stdio: 'pipe' });
    execFileSync('apt-get', ['install', '-y', 'faketime'], { stdio: 'pipe' });
  } catch (cause) {
    throw new Error('libfaketime is missing, and apt-get cannot install it', { cause });
  }
  const installed = findLibrary();
  if (installed === undefined) throw new Error('the package faketime does not contain libfaketime');
  return installed;
}

function findLibrary(): string | undefined {
  const name = 'faketime/libfaketimeMT.so.1';
  return readdirSync('/usr/lib')
    .map((folder) => path.join('/usr/lib', folder, name))
    .find((file) => existsSync(file));
}
