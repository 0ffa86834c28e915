// The result of a check of `doctor`.
import { stat } from 'node:fs/promises';
import type { Config } from '../base/config/config.ts';

export type Finding = {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly check: string;
  readonly message: string;
};

/** `now` is the time in milliseconds since 1970. */
export type Check = (config: Config, now: number) => Promise<Finding[]>;

type Create = (check: string, message: string) => Finding;

export const ok: Create = (check, message) => ({ level: 'ok', check, message });
export const warning: Create = (check, message) => ({ level: 'warning', check, message });
export const problem: Create = (check, message) => ({ level: 'problem', check, message });

export async function fileExists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
