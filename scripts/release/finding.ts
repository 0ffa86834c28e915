// The result of a check of the release.

/** `unknown`: the check could not run. Such a release is not checked, but nothing is wrong. */
export type Level = 'ok' | 'warning' | 'unknown' | 'problem';

/** A sentence with the defect and the next step. */
export type Finding = { readonly level: Exclude<Level, 'ok'>; readonly text: string };

export type Result = {
  readonly name: string;
  /** The subject of the check. */
  readonly about: string;
  readonly findings: readonly Finding[];
};

export const problem = (text: string): Finding => ({ level: 'problem', text });
export const warning = (text: string): Finding => ({ level: 'warning', text });
export const unknown = (text: string): Finding => ({ level: 'unknown', text });

const order: readonly Level[] = ['ok', 'warning', 'unknown', 'problem'];

const worse = (a: Level, b: Level) => (order.indexOf(b) > order.indexOf(a) ? b : a);

function levelOf({ findings }: Result): Level {
  return findings.map(({ level }) => level).reduce<Level>(worse, 'ok');
}

/** Returns a line for the check, and a line for each finding. */
export function reportOf(result: Result): string {
  const head = `${levelOf(result).padEnd(8)} ${result.name.padEnd(16)} ${result.about}`;
  const lines = result.findings.map(({ level, text }) => `         ${level}: ${text}`);
  return [head, ...lines].join('\n');
}

/** 0: ready. 1: a problem. 2: no problem is known, but a check could not run. */
export function exitStatusOf(results: readonly Result[]): number {
  const worst = results.map(levelOf).reduce<Level>(worse, 'ok');
  if (worst === 'problem') return 1;
  return worst === 'unknown' ? 2 : 0;
}
