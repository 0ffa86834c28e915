// The type of a setting.
import type { ValueType } from './values.ts';

export const settingGroups = [
  'Network',
  'Processes',
  'Storage',
  'Tokens',
  'Documents and quotas',
  'Mail',
  'Logs',
  'First start',
  'Backup',
] as const;

export type EarlierSettings = {
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  readonly databaseUrl: string;
};

/** A setting without `default` and `defaultOf` is undefined if the environment does not set it. */
export type Setting = {
  readonly name: `LATCHKEY_${string}`;
  readonly group: (typeof settingGroups)[number];
  readonly type: ValueType<unknown>;
  readonly default?: string;
  readonly defaultOf?: (earlier: EarlierSettings) => unknown;
  readonly defaultText?: string;
  /** The value of a variable that is set but empty. Without it, such a variable is not set. */
  readonly emptyValue?: unknown;
  readonly about: string;
  readonly notes?: string;
  /** Whether the value may be in a file that `<name>_FILE` names. */
  readonly isSecret?: true;
};

export type SettingTable = Readonly<Record<string, Setting>>;
