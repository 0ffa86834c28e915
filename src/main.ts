#!/usr/bin/env node
// The process: arguments, environment, signals, exit code.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type App, startApp } from './app.ts';
import { rotateMasterKey } from './commands/rotate-master-key.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { createLog, type OpenLog } from './observe/log.ts';

const stopMs = 10_000;

const commands: Record<string, () => Promise<void>> = {
  serve,
  'rotate-master-key': rotate,
};

async function main(): Promise<void> {
  const [name = 'serve', ...rest] = process.argv.slice(2);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined || rest.length > 0) {
    process.stderr.write(`Usage: latchkey [${Object.keys(commands).join(' | ')}]\n`);
    process.exit(2);
  }
  await command();
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

async function rotate(): Promise<void> {
  const config = readConfigOrExit();
  try {
    const result = await rotateMasterKey({ config, random: randomBytes, now: Date.now });
    const { masterKeyId, changed, unchanged } = result;
    process.stdout.write(
      `Values encrypted anew under the master key ${masterKeyId}: ${changed}\n` +
        `Values that already were: ${unchanged}\n`,
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    process.stderr.write(`The master key was not rotated: ${reason}\n`);
    process.exit(1);
  }
}

function readConfigOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const list = error.problems.map((problem) => `  ${problem}\n`).join('');
    process.stderr.write(`Latchkey was not started:\n${list}`);
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
