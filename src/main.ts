#!/usr/bin/env node
// The process: arguments, environment, signals, exit code.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type App, startApp } from './app.ts';
import { checkBlobs } from './cli/check-blobs.ts';
import { runDoctor, writeFinding } from './cli/doctor.ts';
import { recoverStaff } from './cli/recover-staff.ts';
import { rotateMasterKey } from './cli/rotate-master-key.ts';
import { type Config, ConfigError, readConfig } from './config/config.ts';
import { readEmail } from './net/email.ts';
import { createLog, type OpenLog } from './observe/log.ts';

const stopMs = 10_000;

type Command = {
  /** The arguments, as the usage text shows them; empty for none. */
  readonly usage: string;
  readonly about: string;
  /** Throws a UsageError for arguments that it does not accept. */
  readonly run: (words: readonly string[]) => Promise<void>;
};

const commands: Readonly<Record<string, Command>> = {
  serve: { usage: '', about: 'starts the service; the default', run: withoutWords(serve) },
  doctor: {
    usage: '[--blobs]',
    about: 'checks the installation, or with --blobs all stored documents; changes nothing',
    run: examine,
  },
  'rotate-master-key': {
    usage: '',
    about: 'encrypts everything again under a new master key',
    run: withoutWords(rotate),
  },
  'recover-staff': {
    usage: '<email>',
    about: 'makes a password for a staff user and restores every management scope',
    run: recover,
  },
};

class UsageError extends Error {}

function withoutWords(run: () => Promise<void>): Command['run'] {
  return async (words) => {
    if (words.length > 0) throw new UsageError();
    await run();
  };
}

function usageText(): string {
  const lines = Object.entries(commands).map(([name, { usage, about }]) => {
    const words = usage === '' ? name : `${name} ${usage}`;
    return `  ${words.padEnd(28)} ${about}\n`;
  });
  return `Usage: latchkey [<command>]\n${lines.join('')}`;
}

async function main(): Promise<void> {
  // The files that SQLite and libraries make are for their owner alone, too.
  process.umask(0o077);
  const [name = 'serve', ...words] = process.argv.slice(2);
  if (['help', '--help', '-h'].includes(name)) {
    process.stdout.write(usageText());
    return;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`There is no command "${name}".`);
    await command.run(words);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (error.message !== '') process.stderr.write(`${error.message}\n`);
    process.stderr.write(usageText());
    process.exit(2);
  }
}

async function serve(): Promise<void> {
  const config = readConfigOrExit();
  const openLog = createLog({ level: config.logLevel });
  const { log, flush, droppedLines } = openLog;
  process.on('uncaughtException', (error) => void die(error, openLog));
  process.on('unhandledRejection', (error) => void die(error, openLog));
  const webDir = path.join(import.meta.dirname, '../web');
  const app = await startApp({ config, log, droppedLines, webDir }).catch((error: unknown) =>
    die(error, openLog),
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // A stop that does not come to its end is a failure.
      setTimeout(() => process.exit(1), stopMs).unref();
      app
        .stop()
        .then(flush)
        .then(
          () => process.exit(0),
          (error: unknown) => die(error, openLog),
        );
    });
  }
  // Whoever reads that it is ready may stop it at once.
  announce(app);
}

async function examine(words: readonly string[]): Promise<void> {
  const [option, ...others] = words;
  if (others.length > 0 || (option !== undefined && option !== '--blobs')) throw new UsageError();
  if (option === '--blobs') return doctorBlobs();
  const findings = await runDoctor({ env: process.env, now: Date.now });
  process.stdout.write(findings.map(writeFinding).join(''));
  process.exitCode = findings.some(({ level }) => level === 'problem') ? 1 : 0;
}

async function rotate(): Promise<void> {
  const config = readConfigOrExit();
  try {
    const result = await rotateMasterKey({ config, random: randomBytes, now: Date.now });
    const { masterKeyId, changed, unchanged } = result;
    process.stdout.write(
      `Values encrypted under the new master key ${masterKeyId}: ${changed}\n` +
        `Values that were encrypted under it before: ${unchanged}\n`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    process.stderr.write(`The master key was not rotated: ${reason}\n`);
    process.exit(1);
  }
}

async function doctorBlobs(): Promise<void> {
  const config = readConfigOrExit();
  try {
    const result = await checkBlobs(config, (line) => process.stdout.write(`${line}\n`));
    if (result.damaged.length > 0) process.exit(1);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    process.stderr.write(`The documents were not checked: ${reason}\n`);
    process.exit(1);
  }
}

async function recover(words: readonly string[]): Promise<void> {
  const [address, ...others] = words;
  if (address === undefined || others.length > 0) throw new UsageError();
  const email = readEmail(address);
  if (email === undefined) {
    process.stderr.write(`"${address}" is not an e-mail address\n`);
    process.exit(2);
  }
  const config = readConfigOrExit();
  try {
    const options = { config, email, random: randomBytes, now: Date.now };
    const { password, isNew } = await recoverStaff(options);
    const done = isNew ? 'was created' : 'was recovered, without a second factor';
    process.stderr.write(
      `The staff user ${email} ${done}, with every management scope.\n` +
        'The password is not shown again:\n',
    );
    // Alone on stdout, for scripts.
    process.stdout.write(`${password}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    process.stderr.write(`The staff user was not recovered: ${reason}\n`);
    process.exit(1);
  }
}

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const list = error.problems.map((problem) => `  ${problem}\n`).join('');
    process.stderr.write(`The settings are not valid:\n${list}`);
    process.exit(2);
  }
}

function announce({ publicUrl, grpcAddress, opsUrl, bootstrapFile, bootstrapped }: App): void {
  const lines = [
    'Latchkey is ready.',
    `  HTTP/JSON and Connect  ${publicUrl}`,
    `  the console            ${publicUrl}/console`,
    `  gRPC                   ${grpcAddress}`,
    `  operations             ${opsUrl}`,
    ...(bootstrapped ? [`  first credentials      ${bootstrapFile}`] : []),
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}

async function die(error: unknown, { log, flush }: OpenLog): Promise<never> {
  log.fatal({ err: error }, 'the process ends');
  await flush();
  process.stderr.write(`Latchkey ends: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

await main();
