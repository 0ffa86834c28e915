import { ConfigError, readConfig } from '../../src/base/config/config.ts';

/** Returns everything that is wrong with the environment. */
export function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
