// A separate disk that a test can fill or make read-only.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getuid } from 'node:process';

export type SmallDisk = {
  readonly folder: string;
  /** Fills the disk to the last byte. */
  fill(): void;
  /** Frees the space that `fill` has used. */
  empty(): void;
  remountReadOnly(): void;
  unmount(): void;
};

export function mountDisk(size: string): SmallDisk {
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-disk-'));
  const mount = (...words: string[]) =>
    execFileSync('mount', [...words, folder], { stdio: 'pipe' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'none');
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  const file = path.join(folder, 'filler');
  return {
    folder,
    fill() {
      for (let bytes = 1 << 20; bytes >= 1; bytes >>= 1) {
        try {
          for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
        } catch {
          // The disk is full for pieces of this size.
        }
      }
    },
    empty: () => rmSync(file),
    remountReadOnly: () => void mount('-o', 'remount,ro'),
    unmount() {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Root may mount file systems, unless confined, as in most containers. */
export function mayMount(): boolean {
  if (getuid?.() !== 0) return false;
  try {
    mountDisk('1m').unmount();
    return true;
  } catch {
    return false;
  }
}
