import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { started } from '../times/started.ts';
import { freePort } from './free-port.ts';
import {
  copyPrograms,
  createCluster,
  giveAway,
  type Identity,
  identity,
  superuser,
} from './postgres-files.ts';

export interface PostgresServer {
  /** The URL of the maintenance database, as a superuser without a password. */
  url: string;
  /** The folder of its data. */
  dataDir: string;
  /** Creates an empty database and resolves to its URL. */
  createDatabase(): Promise<string>;
  /** Stops the server with a signal, and starts it again on the same port and data. */
  restart(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Settings that replace the defaults, such as `ssl=on`. */
  settings?: readonly string[];
  /** Changes the data folder before the first start. */
  prepare?: (dataDir: string) => Promise<void>;
  /** Receives the text of the server's log. */
  onLog?: ((text: string) => void) | undefined;
}

/** Starts a real PostgreSQL on a free loopback port; it ends when this process does. */
export async function startPostgres({
  settings = [],
  prepare,
  onLog,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-postgres-'));
  try {
    await copyPrograms(folder);
    await createCluster(folder);
    const dataDir = join(folder, 'data');
    await prepare?.(dataDir);
    if (prepare !== undefined) await giveAway(dataDir);
    const port = await freePort();
    const { stop, restart } = await serve(folder, port, { settings, onLog }, identity);
    const url = `postgres://${superuser}@127.0.0.1:${port}/postgres`;
    return { url, dataDir, createDatabase: () => createDatabase(url), restart, stop };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Copies `template`, the name of a database without connected clients. */
export async function createDatabase(serverUrl: string, template = 'template0'): Promise<string> {
  started.databases++;
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    // With fsync off, copying the files is the faster strategy.
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = name;
  return url.href;
}

/** Resolves once the server accepts connections. */
async function serve(
  folder: string,
  port: number,
  { settings: otherSettings = [], onLog }: PostgresOptions,
  identity: Identity,
): Promise<Pick<PostgresServer, 'restart' | 'stop'>> {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    // Turns off durability, and maintenance that only a long-lived database needs.
    'fsync=off',
    'full_page_writes=off',
    'wal_level=minimal',
    'max_wal_senders=0',
    'checkpoint_timeout=1h',
    'autovacuum=off',
    ...otherSettings,
  ];
  const task = {
    command: join(folder, 'native/bin/postgres'),
    args: ['-D', join(folder, 'data'), '-p', `${port}`, ...settings.flatMap((x) => ['-c', x])],
    folder,
    // Immediate shutdown: the data is not needed.
    endSignal: 'SIGQUIT',
    ...identity,
  };
  const watchdog = spawn(
    process.execPath,
    [fileURLToPath(new URL('watchdog.mjs', import.meta.url)), JSON.stringify(task)],
    // A separate process group survives the Ctrl-C that ends the tests, and can clean up
    // afterwards.
    { detached: true, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  const exited = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()));

  let log = '';
  watchdog.stderr.setEncoding('utf8');
  if (onLog !== undefined) watchdog.stderr.on('data', onLog);
  const ready = () =>
    new Promise<void>((resolve, reject) => {
      log = '';
      watchdog.stderr.on('data', (text: string) => {
        log = (log + text).slice(-10_000);
        if (/ready to accept (read-only )?connections/.test(log)) resolve();
      });
      watchdog.once('error', reject);
      watchdog.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log}`)));
    });
  await ready();

  return {
    async restart(signal) {
      const again = ready();
      watchdog.stdin.write(`${signal}\n`);
      await again;
    },
    async stop() {
      watchdog.stdin.end();
      await exited;
    },
  };
}
