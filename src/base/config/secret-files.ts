// Reads secrets from files: `<NAME>_FILE` names a file with the value of the setting `<NAME>`.
// Containers and systemd provide secrets this way.
import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

export const fileVariableOf = (name: string) => `${name}_FILE`;

type Report = (name: string, message: string) => void;

/** One line break at the end of a file is ignored. */
export function readSecretFiles(
  env: Environment,
  names: readonly string[],
  report: Report,
): Environment {
  const values: Record<string, string> = {};
  for (const name of names) {
    const variable = fileVariableOf(name);
    const file = env[variable] ?? '';
    if (file === '') continue;
    if ((env[name] ?? '') !== '') {
      report(variable, `must not be set together with ${name}`);
      continue;
    }
    const value = readSecret(file, (message) => report(variable, message));
    if (value !== undefined) values[name] = value;
  }
  return { ...env, ...values };
}

function readSecret(file: string, report: (message: string) => void): string | undefined {
  try {
    const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (value !== '') return value;
    report('names an empty file');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    report(`names a file that cannot be read (${code})`);
  }
  return undefined;
}
