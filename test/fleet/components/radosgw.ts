// A real S3 store for tests: Ceph's S3 gateway on a monitor and an OSD that keeps its data in
// memory. Needs the Debian packages radosgw, ceph-mon and ceph-osd. The processes and their folder
// disappear when the test process ends, even if it is killed.
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../support/free-port.ts';

export type S3Keys = { readonly accessKeyId: string; readonly secretAccessKey: string };

export type S3Server = {
  /** The origin of the gateway, without a bucket. It stays the same after a restart. */
  readonly endpoint: string;
  /** The keys of a user who may create buckets. */
  readonly keys: S3Keys;
  /** The same keys as environment variables of the AWS SDK. */
  readonly env: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
  /** Creates another user, who has no bucket. */
  createUser(): Promise<S3Keys>;
  /** Kills the gateway; its data stays. Resolves after it has ended. */
  kill(): Promise<void>;
  /** Starts a killed gateway. Resolves when it accepts requests. */
  start(): Promise<void>;
  /** Suspends the gateway: it keeps its connections open and does not answer. */
  suspend(): Promise<void>;
  resume(): Promise<void>;
  /** Ends every process and removes the folder. */
  stop(): Promise<void>;
};

/** The programs that a store needs, and the Debian packages that contain them. */
const programs = {
  radosgw: 'radosgw',
  'radosgw-admin': 'radosgw',
  'ceph-mon': 'ceph-mon',
  'ceph-osd': 'ceph-osd',
  ceph: 'ceph-common',
  monmaptool: 'ceph-common',
};

const run = promisify(execFile);
const commandMs = 20_000;
const attemptsMax = 3;

/** Returns the Debian packages that have to be installed. */
export async function missingS3Packages(): Promise<string[]> {
  const missing = new Set<string>();
  for (const [program, debianPackage] of Object.entries(programs)) {
    await run(program, ['--version']).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') missing.add(debianPackage);
    });
  }
  return [...missing];
}

/**
 * Starts a store on free loopback ports. Now and then a new cluster never answers its first
 * command, so the start is repeated with another cluster.
 */
export async function startRadosgw(): Promise<S3Server> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce();
    } catch (error) {
      if (attempt === attemptsMax) throw error;
    }
  }
}

async function startOnce(): Promise<S3Server> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-s3-'));
  const port = await freePort();
  const layout = { folder, port, conf: path.join(folder, 'ceph.conf') };
  const servers: Guarded[] = [];
  async function stop(): Promise<void> {
    // In reverse, because the watchdog of the monitor removes the folder.
    for (const server of servers.reverse()) await server.end();
    await rm(folder, { recursive: true, force: true });
  }
  try {
    await startCluster(layout, (server) => void servers.push(server));
    const keys = await createUser(layout);
    let gateway = await startGateway(layout);
    servers.push({ end: () => gateway.end() });
    return {
      endpoint: `http://127.0.0.1:${port}`,
      keys,
      env: { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey },
      createUser: () => createUser(layout),
      kill: () => gateway.end(),
      async start() {
        gateway = await startGateway(layout);
      },
      suspend: () => gateway.signal('SIGSTOP'),
      resume: () => gateway.signal('SIGCONT'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Layout = { readonly folder: string; readonly port: number; readonly conf: string };

/** Starts the monitor and the OSD. */
async function startCluster(layout: Layout, onStart: (server: Guarded) => void): Promise<void> {
  const { folder, conf } = layout;
  const [fsid, osdId, monitorPort] = [randomUUID(), randomUUID(), await freePort()];
  const monitor = `[v1:127.0.0.1:${monitorPort}]`;
  for (const name of ['mon', 'osd', 'run', 'rgw']) await mkdir(path.join(folder, name));
  await writeFile(conf, configuration(layout, fsid, monitor));
  const command = (program: string, ...args: string[]) => runCommand(layout, program, args);

  const map = path.join(folder, 'monmap');
  await command('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', monitor, map);
  await command('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--mon-data', `${folder}/mon`);
  onStart(guard('ceph-mon', ['-i', 'a', '-f'], conf, folder));
  await command('ceph', 'osd', 'new', osdId, '0');
  await command('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osdId);
  onStart(guard('ceph-osd', ['-i', '0', '-f'], conf, path.join(folder, 'osd')));
}

async function createUser(layout: Layout): Promise<S3Keys> {
  const keys = { accessKeyId: randomUUID(), secretAccessKey: randomUUID() };
  const user = [`--uid=${keys.accessKeyId}`, '--display-name=Test'];
  const pair = [`--access-key=${keys.accessKeyId}`, `--secret-key=${keys.secretAccessKey}`];
  await runCommand(layout, 'radosgw-admin', ['user', 'create', ...user, ...pair]);
  return keys;
}

function runCommand({ conf }: Layout, program: string, args: readonly string[]) {
  return run(program, args, { env: { ...process.env, CEPH_CONF: conf }, timeout: commandMs });
}

/** Resolves when the gateway answers. */
async function startGateway({ folder, port, conf }: Layout): Promise<GuardedServer> {
  const home = path.join(folder, 'rgw');
  await mkdir(home, { recursive: true });
  const server = guard('radosgw', ['-n', 'client.rgw', '-f'], conf, home);
  while (!(await accepts(port))) {
    if (server.hasEnded()) throw new Error(`radosgw did not start:\n${server.log()}`);
    await sleep(50);
  }
  return server;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

type Guarded = { end(): Promise<void> };
type GuardedServer = Guarded & {
  hasEnded(): boolean;
  log(): string;
  signal(signal: NodeJS.Signals): Promise<void>;
};

const watchdogFile = fileURLToPath(new URL('../../support/watchdog.mjs', import.meta.url));

/** Runs a server that is killed, and its folder removed, when this process ends. */
function guard(command: string, args: string[], conf: string, folder: string): GuardedServer {
  const task = { command, args: ['-c', conf, ...args], folder, endSignal: 'SIGKILL' };
  const watchdog = spawn(process.execPath, [watchdogFile, JSON.stringify(task)], {
    // A separate process group survives the Ctrl-C that ends the tests.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let log = '';
  watchdog.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-10_000);
  });
  const ended = once(watchdog, 'exit');
  return {
    hasEnded: () => watchdog.exitCode !== null || watchdog.signalCode !== null,
    log: () => log,
    async signal(signal) {
      // The only child of the watchdog is the server.
      const { pid } = watchdog;
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      process.kill(Number(children.trim()), signal);
    },
    async end() {
      watchdog.stdin.end();
      await ended;
    },
  };
}

function configuration({ folder, port }: Layout, fsid: string, monitor: string): string {
  return `[global]
fsid = ${fsid}
mon_initial_members = a
mon_host = ${monitor}
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 2
osd_pool_default_pgp_num = 2
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
osd_objectstore = memstore
memstore_device_bytes = 4294967296
run_dir = ${folder}/run
admin_socket =
pid_file =
log_file =
log_to_file = false
log_to_stderr = true
mon_cluster_log_to_file = false
ms_bind_ipv6 = false
ms_bind_msgr2 = false
mon_tick_interval = 1
paxos_propose_interval = 0.05
osd_heartbeat_grace = 60
mon_osd_min_up_ratio = 0
mon_data_avail_crit = 1
mon_max_pg_per_osd = 1000
setuser_match_path =
[mon.a]
mon_data = ${folder}/mon
host = localhost
[osd.0]
osd_data = ${folder}/osd
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_data = ${folder}/rgw
rgw_enable_ops_log = false
rgw_enable_usage_log = false
rgw_thread_pool_size = 64
# Frees the memory of deleted objects soon.
rgw_gc_obj_min_wait = 1
rgw_gc_processor_period = 2
rgw_gc_processor_max_time = 2
keyring = ${folder}/none
`;
}
