// Three nodes behind HAProxy, on PostgreSQL behind PgBouncer.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../support/free-port.ts';
import { parseEnv } from '../support/harness.ts';
import { builtProgram, type ProgramEnv } from '../support/program.ts';
import { filesOf } from '../support/stored-blobs.ts';
import { startHaProxy } from './components/haproxy.ts';
import { createNode, type FleetNode, newAddresses } from './components/node.ts';
import { startPgBouncer } from './components/pgbouncer.ts';
import { startPostgresPair } from './components/postgres.ts';
import { startStore } from './components/store.ts';

const nodeNames = ['node1', 'node2', 'node3'];

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

type FleetOptions = {
  /** The program of the previous release, to start with it. */
  readonly previous?: string;
  /** Worker processes per node. The default is 2. */
  readonly workers?: number;
};

export async function startFleet({ previous, workers = 2 }: FleetOptions = {}) {
  const folder = await newFolder();
  const postgres = await startPostgresPair(path.join(folder.path));
  const pgBouncer = await startPgBouncer(path.join(folder.path, 'pgbouncer'), postgres.port);
  const ports = { httpPort: await freePort(), grpcPort: await freePort() };
  const addresses = await Promise.all(nodeNames.map(newAddresses));
  const blobDir = path.join(folder.path, 'blobs');
  // Release 0.1 has no S3.
  const store = previous === undefined ? await startStore() : undefined;
  const settings = {
    LATCHKEY_DATABASE_URL: pgBouncer.url,
    LATCHKEY_BLOB_URL: store?.url ?? `file:${blobDir}`,
    ...store?.env,
    LATCHKEY_MASTER_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_PUBLIC_URL: `http://127.0.0.1:${ports.httpPort}`,
    LATCHKEY_TRUSTED_PROXIES: '127.0.0.1',
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'warn',
  };
  const current = {
    ...settings,
    // The default of the service, not of the tests.
    LATCHKEY_DRAIN_SECONDS: undefined,
    LATCHKEY_WORKERS: `${workers}`,
  };
  const useCurrent = (node: FleetNode, changes: ProgramEnv = {}) =>
    node.use(builtProgram, { ...current, ...changes });
  function usePrevious(node: FleetNode, program: string): void {
    const other = {
      // Release 0.1 does not work through PgBouncer.
      LATCHKEY_DATABASE_URL: postgres.url(),
      LATCHKEY_DRAIN_SECONDS: undefined,
      // Release 0.1 refuses settings that it does not know.
      LATCHKEY_OFFICE_COMMAND: undefined,
    };
    node.use(program, { ...settings, ...other });
  }
  const nodes = await Promise.all(addresses.map((one) => createNode(one, folder.path, current)));
  const [first, ...others] = nodes;
  if (first === undefined) throw new Error('a fleet has at least one node');
  if (previous !== undefined) for (const node of nodes) usePrevious(node, previous);
  // The first node creates the schema and the demo data.
  await first.start();
  await Promise.all(others.map((node) => node.start()));
  const haProxy = await startHaProxy(path.join(folder.path, 'haproxy'), ports, addresses);
  async function startAll(): Promise<void> {
    for (const node of nodes) {
      if (!node.isRunning()) await node.start();
      await haProxy.untilUp(node.name);
    }
  }
  await startAll();
  const bootstrap = await readFile(path.join(first.dataDir, 'bootstrap.env'), 'utf8');
  return {
    postgres,
    pgBouncer,
    haProxy,
    nodes,
    /** Undefined if the blobs are files. */
    store,
    stored: store?.objects ?? filesOf(blobDir),
    env: { ...parseEnv(bootstrap), LATCHKEY_BASE_URL: settings.LATCHKEY_PUBLIC_URL },
    grpcAddress: `127.0.0.1:${ports.grpcPort}`,
    useCurrent,
    usePrevious,
    /** Starts the nodes that do not run, and waits until HAProxy uses all. */
    startAll,
    async stop(): Promise<void> {
      await Promise.all(nodes.map((node) => node.kill()));
      await store?.stop();
      folder.remove();
    },
  };
}

/** A folder that is removed when this process ends. */
async function newFolder(): Promise<{ path: string; remove(): void }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-fleet-'));
  // Other users run PostgreSQL and PgBouncer.
  await chmod(folder, 0o711);
  const keeper = spawn('sh', ['-c', 'cat >/dev/null; sleep 1; rm -rf "$0"', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return { path: folder, remove: () => keeper.stdin?.end() };
}
