// The result of a check of `doctor`.

import type { Config } from '../base/config/config.ts';
import { statIfAny } from '../base/files/private-files.ts';

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
  return (await statIfAny(file)) !== undefined;
}
