// Runs the checks of a campaign in turn and prints a table of their figures. A failing check prints
// the seed, and the input if there is one, that reproduce the failure.
import { parseArgs } from 'node:util';
import type { Dialect } from './matrix.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

export type Trial = {
  /** The name of the check. */
  readonly name: string;
  /** The short form, which runs with every change: the same checks with fewer rounds. */
  readonly isShort: boolean;
  /** How often to repeat the check's work. */
  readonly rounds: number;
  readonly seed: number;
  readonly random: SeededRandom;
  /** Registers cleanup for the end of the check; the last registered runs first. */
  onEnd(work: () => unknown): void;
  /** Records a failure without ending the check. Messages that differ only in ids print once. */
  fail(message: string, input?: string): void;
  /** Adds a figure to the table. */
  figure(name: string, value: number | string): void;
  /** Creates an empty PostgreSQL database and returns its URL. */
  postgresUrl(): Promise<string>;
  /** Returns the URL of an empty database. That of SQLite is in the folder. */
  databaseUrl(dialect: Dialect, dataDir: string): Promise<string>;
};

export type Check = {
  readonly name: string;
  /** A number for the short form and one for the long form. */
  readonly secondsMax: readonly [short: number, long: number];
  /** For both forms. `--rounds` replaces the number; a larger one also raises the time limit. */
  readonly rounds?: readonly [short: number, long: number];
  /** Not a part of the short form. */
  readonly isLongOnly?: boolean;
  run(trial: Trial): Promise<void>;
};

/** Thrown if a check cannot run on this machine. It counts as not run, never as passed. */
export class NotAllowedHere extends Error {}

type Result = {
  readonly name: string;
  readonly state: 'passed' | 'FAILED' | 'NOT RUN';
  readonly seconds: number;
  readonly figures: readonly string[];
};

const failuresPrintedMax = 20;

/** Runs the checks and sets the exit code. */
export async function runCampaign(command: string, checks: readonly Check[]): Promise<void> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 2 ** 31)) },
      only: { type: 'string', default: '' },
      rounds: { type: 'string' },
    },
  });
  const seed = positiveInteger('seed', values.seed);
  const given = values.rounds === undefined ? 0 : positiveInteger('rounds', values.rounds);
  const form = values.short ? 0 : 1;
  process.stdout.write(`${command}: seed ${seed}, ${values.short ? 'short' : 'long'} form\n`);

  let postgres: Promise<PostgresServer> | undefined;
  const results: Result[] = [];
  const wanted = checks.filter(
    ({ name, isLongOnly = false }) => name.includes(values.only) && !(values.short && isLongOnly),
  );
  for (const check of wanted) {
    const usual = check.rounds?.[form] ?? 1;
    const isCounted = given > 0 && check.rounds !== undefined;
    const rounds = isCounted ? given : usual;
    const options = [
      ...(values.short ? ['--short'] : []),
      ...(isCounted ? [`--rounds ${rounds}`] : []),
    ];
    const repeat = [command, '--', ...options, `--seed ${seed}`, `--only "${check.name}"`];
    const setting: Setting = {
      isShort: values.short,
      rounds,
      secondsMax: check.secondsMax[form] * Math.max(1, rounds / usual),
      seed,
      repeat: repeat.join(' '),
      async postgresUrl() {
        postgres ??= startPostgres();
        return (await postgres).createDatabase();
      },
    };
    const first = await runCheck(check, setting);
    const isRepeated = first.state === 'FAILED' && process.env.CI !== undefined;
    results.push(isRepeated ? await repeatCheck(check, setting) : first);
  }
  await (await postgres)?.stop();
  printTable(results);
  const count = (state: Result['state']) => results.filter((one) => one.state === state).length;
  process.stdout.write(
    `${count('passed')} passed, ${count('FAILED')} failed, ${count('NOT RUN')} not run\n`,
  );
  // Exits explicitly, because a check that timed out may have left work running.
  process.exit(count('FAILED') === 0 && results.length > 0 ? 0 : 1);
}

function positiveInteger(option: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Error(`--${option} must be a positive integer`);
  return Number(text);
}

type Setting = Pick<Trial, 'isShort' | 'rounds' | 'seed' | 'postgresUrl'> & {
  readonly secondsMax: number;
  /** The command that repeats the check. */
  readonly repeat: string;
};

/** A machine that runs CI may stop a process for seconds. The output shows both runs. */
async function repeatCheck(check: Check, setting: Setting): Promise<Result> {
  process.stdout.write(`Repeating ${check.name}\n`);
  const result = await runCheck(check, setting);
  return { ...result, figures: [...result.figures, 'failed in the first run'] };
}

async function runCheck(check: Check, setting: Setting): Promise<Result> {
  const { isShort, rounds, secondsMax, seed, repeat, postgresUrl } = setting;
  const started = performance.now();
  const ends: (() => unknown)[] = [];
  const figures: string[] = [];
  let failures = 0;
  const printed = new Set<string>();
  function fail(message: string, input?: string): void {
    failures++;
    const kind = message.replace(/[0-9a-f-]{36}|_[0-9A-Za-z]{22}|\d+/g, '0');
    if (printed.has(kind) || printed.size >= failuresPrintedMax) return;
    printed.add(kind);
    const lines = input === undefined ? '' : `\n  input: ${input}`;
    process.stdout.write(`FAILED ${check.name}: ${message}\n  repeat: ${repeat}${lines}\n`);
  }
  const trial: Trial = {
    name: check.name,
    isShort,
    rounds,
    seed,
    random: seededRandom(seed),
    onEnd: (work) => void ends.push(work),
    fail,
    figure: (name, value) => void figures.push(`${name} ${value}`),
    postgresUrl,
    databaseUrl: async (dialect, dataDir) =>
      dialect === 'sqlite' ? `sqlite:${dataDir}/latchkey.db` : postgresUrl(),
  };

  let reason: string | undefined;
  try {
    await within(secondsMax, check.run(trial));
  } catch (error) {
    if (error instanceof NotAllowedHere) reason = error.message;
    else fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  for (const end of ends.toReversed()) {
    await within(30, Promise.resolve().then(end)).catch((error: unknown) => fail(String(error)));
  }
  if (failures > 0) figures.push(`failures ${failures}`);
  const seconds = (performance.now() - started) / 1000;
  const state = failures > 0 ? 'FAILED' : reason === undefined ? 'passed' : 'NOT RUN';
  if (reason !== undefined) figures.push(reason);
  process.stdout.write(`${state} ${check.name} (${seconds.toFixed(1)} s)\n`);
  return { name: check.name, state, seconds, figures };
}

async function within(seconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${seconds} s`)), seconds * 1000);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function printTable(results: readonly Result[]): void {
  const width = Math.max(...results.map(({ name }) => name.length));
  for (const { name, state, seconds, figures } of results) {
    const time = `${seconds.toFixed(1)} s`.padStart(8);
    const line = `${name.padEnd(width)}  ${state.padEnd(7)}  ${time}  ${figures.join(', ')}`;
    process.stdout.write(`${line}\n`);
  }
}
