// The process: environment, signals, exit code.
import path from 'node:path';
import { type App, startApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { createLog, type OpenLog } from './observe/log.ts';

const stopMs = 10_000;

async function main(): Promise<void> {
  const config = readConfigOrExit();
  const { log, flush } = createLog({ level: config.logLevel });
  process.on('uncaughtException', (error) => die(error, { log, flush }));
  process.on('unhandledRejection', (error) => die(error, { log, flush }));
  const webDir = path.join(import.meta.dirname, '../web');
  const app = await startApp({ config, log, webDir }).catch((error: unknown) =>
    die(error, { log, flush }),
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      // A stop that does not come to its end is a failure.
      setTimeout(() => process.exit(1), stopMs).unref();
      app.stop().then(
        () => {
          flush();
          process.exit(0);
        },
        (error: unknown) => die(error, { log, flush }),
      );
    });
  }
  // Whoever reads that it is ready may stop it at once.
  announce(app);
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
    `  gRPC                   ${grpcAddress}`,
    `  operations             ${opsUrl}`,
    ...(bootstrapped ? [`  first credentials      ${bootstrapFile}`] : []),
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}

function die(error: unknown, { log, flush }: OpenLog): never {
  log.fatal({ err: error }, 'the process ends');
  flush();
  process.stderr.write(`Latchkey ends: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

await main();
