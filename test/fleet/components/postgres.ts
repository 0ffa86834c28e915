// A PostgreSQL primary with a synchronous standby, so that a promotion loses no commit.
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../../support/free-port.ts';
import { copyPrograms, createCluster, giveAway, superuser } from '../../support/postgres-files.ts';
import { type ServerProcess, serverProcess, waitFor } from './process.ts';

const run = promisify(execFile);

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  // The machine does not lose power during a run, so a kill -9 loses nothing without fsync.
  'fsync=off',
  'wal_level=replica',
  'max_wal_senders=5',
  'wal_keep_size=512MB',
  'hot_standby=on',
  // By default a standby waits 5 s after a restart of the primary, and every commit with it.
  'wal_retrieve_retry_interval=100ms',
  'checkpoint_timeout=1h',
  'shared_buffers=64MB',
];

export type PostgresPair = Awaited<ReturnType<typeof startPostgresPair>>;

type Server = { readonly data: string; readonly port: number; readonly process: ServerProcess };

/** Starts both servers with an empty database `latchkey`. */
export async function startPostgresPair(folder: string) {
  await copyPrograms(folder);
  await createCluster(folder);
  let count = 0;
  let primary = await serve(path.join(folder, 'data'));
  let standby: Server | undefined;

  async function serve(data: string, ...more: string[]): Promise<Server> {
    const port = await freePort();
    const options = [...settings, ...more].flatMap((setting) => ['-c', setting]);
    const process = serverProcess({
      command: path.join(folder, 'native/bin/postgres'),
      args: ['-D', data, '-p', `${port}`, ...options],
      folder,
      isUnprivileged: true,
    });
    const server = { data, port, process };
    await start(server);
    return server;
  }

  /** Copies the running primary, and makes it wait for the copy at every commit. */
  async function addStandby(): Promise<void> {
    const data = path.join(folder, `data-${++count}`);
    await copyCluster(primary, data);
    const { port } = primary;
    const from = `host=127.0.0.1 port=${port} user=${superuser} application_name=standby`;
    standby = await serve(data, `primary_conninfo=${from}`);
    const states = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
    await waitFor('the standby follows', async () => (await query(port, states)).length === 1);
    await query(port, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await query(port, 'SELECT pg_reload_conf()');
    const synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    await waitFor('commits wait', async () => (await query(port, synchronous)).length === 1);
  }

  await query(primary.port, `ALTER USER ${superuser} PASSWORD '${superuser}'`);
  await query(primary.port, 'CREATE DATABASE latchkey');
  await addStandby();
  return {
    /** The port of the primary. */
    port: () => primary.port,
    url: () => `postgres://${superuser}:${superuser}@127.0.0.1:${primary.port}/latchkey`,
    /** Stops the primary with a signal, and starts it again on the same port and data. */
    async restart(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
      await primary.process.end(signal);
      await start(primary);
    },
    /** Kills the primary and makes the standby the primary, on another port. */
    async promote(): Promise<void> {
      if (standby === undefined) throw new Error('there is no standby');
      await primary.process.end('SIGKILL');
      const old = primary;
      await query(standby.port, 'SELECT pg_promote(true, 60)');
      primary = standby;
      standby = undefined;
      await rm(old.data, { recursive: true, force: true });
    },
    addStandby,
  };
}

/** Starts until it runs: after a kill -9, children of the old server may run for a moment. */
async function start({ process, port }: Server): Promise<void> {
  await waitFor('PostgreSQL starts', () => {
    process.start();
    return query(port, 'SELECT 1').then(() => true);
  }).catch((error) => {
    throw new Error(process.output(), { cause: error });
  });
}

async function copyCluster(from: Server, data: string): Promise<void> {
  const client = await connect(from.port);
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    await mkdir(data, { mode: 0o700 });
    // Files that disappear during the copy are not needed.
    const tar = `tar -C ${from.data} --warning=no-file-changed --warning=no-file-removed \
      --exclude=./postmaster.* --exclude='./pg_wal/*' -cf - . | tar -C ${data} -xf -`;
    await run('sh', ['-c', `${tar} || true`]);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(path.join(data, 'backup_label'), rows[0].labelfile);
  } finally {
    await client.end();
  }
  await writeFile(path.join(data, 'standby.signal'), '');
  await writeFile(path.join(data, 'postgresql.auto.conf'), '');
  await chmod(data, 0o700);
  await giveAway(data);
  if (!(await readFile(path.join(data, 'PG_VERSION'), 'utf8'))) throw new Error('no copy');
}

async function connect(port: number, database = 'postgres'): Promise<Client> {
  const client = new Client({ host: '127.0.0.1', port, user: superuser, database });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function query(port: number, text: string, database?: string) {
  const client = await connect(port, database);
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
