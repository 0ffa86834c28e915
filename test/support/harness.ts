// Starts the real app on free ports with its own data folder.
import { chmod, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { type Config, readConfig } from '../../src/base/config/config.ts';
import { type App, type AppOptions, startApp } from '../../src/boot/app.ts';
import { createLog } from '../../src/observe/log.ts';
import { started } from '../times/started.ts';
import { migratedPostgresDatabase } from './databases.ts';
import { checkExchangesWith } from './documented-exchanges.ts';
import type {} from './global-setup.ts';
import type { Dialect } from './matrix.ts';

/** Settings that only tests change: the clock, randomness, and timeouts. */
export type TestAppOptions = Omit<AppOptions, 'config' | 'log' | 'droppedLines' | 'webDir'> & {
  readonly dialect?: Dialect;
  readonly config?: Partial<Config>;
  /** The data folder of an earlier app, to start on its data. */
  readonly dataDir?: string;
};

export const envNames = [
  'LATCHKEY_BASE_URL',
  'LATCHKEY_SHARING_BASE_URL',
  'LATCHKEY_GRPC_ADDRESS',
  'LATCHKEY_OPS_URL',
  'STAFF_EMAIL',
  'STAFF_PASSWORD',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'CLIENT_SCOPES',
  'CUSTOMER_API_KEY',
  'CUSTOMER_ACCOUNTS',
  'API_KEY',
  'WORKSPACE_ID',
] as const;
type EnvName = (typeof envNames)[number];

export type TestApp = {
  readonly app: App;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** The bootstrap file that the first start wrote. */
  readonly env: Readonly<Record<EnvName, string>>;
  /** All log lines so far. */
  logText(): Promise<string>;
  /** Stops the app and keeps its data folder. */
  stop(): Promise<void>;
  /** Stops the app and removes its data folder. */
  remove(): Promise<void>;
};

/** The folder of the built browser code; the suite builds it before it starts. */
const webDir = path.resolve(import.meta.dirname, '../../dist/web');

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  started.apps++;
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'latchkey-test-')));
  const databaseUrl = options.config?.databaseUrl ?? (await databaseFor(options, dataDir));
  const logFile = path.join(dataDir, 'log.jsonl');
  const { log, flush, droppedLines } = createLog({ level: 'debug', file: logFile });
  const loopback = { host: '127.0.0.1', port: 0 };
  const config: Config = {
    ...readConfig({
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_BOOTSTRAP: 'demo',
      // Only the tests of previews convert files.
      LATCHKEY_OFFICE_COMMAND: '',
    }),
    http: loopback,
    grpc: loopback,
    ops: loopback,
    databaseUrl,
    ...options.config,
  };
  const { dialect: _dialect, config: _config, dataDir: _dataDir, ...replaced } = options;
  const app = await startApp({ config, log, droppedLines, webDir, ...replaced });
  const endChecks = checkExchangesWith(new URL(app.publicUrl).origin);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= app.stop().finally(endChecks);
    return stopped;
  };
  return {
    app,
    dataDir,
    databaseUrl,
    env: parseEnv(await readFile(app.bootstrapFile, 'utf8')),
    async logText() {
      await flush();
      return readFile(logFile, 'utf8');
    },
    stop,
    async remove() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The folder's SQLite file, or a new PostgreSQL database. A new database gets the schema. */
async function databaseFor(options: TestAppOptions, folder: string): Promise<string> {
  if (options.dialect === 'postgres') return migratedPostgresDatabase();
  const file = path.join(folder, 'latchkey.db');
  if (options.dataDir === undefined) {
    await copyFile(inject('sqliteTemplate'), file);
    await chmod(file, 0o600);
  }
  return `sqlite:${file}`;
}

/** Reads the `NAME='value'` lines of a bootstrap file. A missing name yields an empty string. */
export function parseEnv(text: string): Record<EnvName, string> {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value] = /^(\w+)='(.*)'$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) values.set(name, value);
  }
  const entries = envNames.map((name) => [name, values.get(name) ?? '']);
  return Object.fromEntries(entries) as Record<EnvName, string>;
}

/**
 * A data folder that a service has filled; removed when the test ends. The service runs in this
 * process, which takes a tenth of the time of starting the program.
 */
export async function stoppedInstallation(databaseUrl?: string): Promise<string> {
  const test = await startTestApp(databaseUrl === undefined ? {} : { config: { databaseUrl } });
  onTestFinished(() => rm(test.dataDir, { recursive: true, force: true }));
  await test.stop();
  await rm(path.join(test.dataDir, 'log.jsonl'));
  return test.dataDir;
}
