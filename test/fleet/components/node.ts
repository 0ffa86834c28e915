// A node: the built program with addresses that stay the same after a restart.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../support/free-port.ts';
import {
  builtProgram,
  type Program,
  type ProgramEnv,
  spawnProgram,
} from '../../support/program.ts';
import { endsWithRun, waitFor } from './process.ts';

export type NodeAddresses = {
  readonly name: string;
  readonly http: string;
  readonly grpc: string;
  readonly opsPort: number;
};

export type FleetNode = NodeAddresses & {
  readonly dataDir: string;
  isRunning(): boolean;
  /** Starts the node and resolves to the seconds until it was ready. */
  start(): Promise<number>;
  /** Sends SIGTERM and resolves to the exit status. */
  stop(): Promise<number | NodeJS.Signals>;
  kill(): Promise<void>;
  /** Suspends a node with one worker process: it keeps its connections open. */
  suspend(): void;
  resume(): void;
  /** Uses another build and other settings from the next start on. */
  use(program: string, env: ProgramEnv): void;
  /** The log of all starts. */
  log(): string;
};

export async function newAddresses(name: string): Promise<NodeAddresses> {
  const address = async () => `127.0.0.1:${await freePort()}`;
  return { name, http: await address(), grpc: await address(), opsPort: await freePort() };
}

export async function createNode(
  addresses: NodeAddresses,
  folder: string,
  settings: ProgramEnv,
): Promise<FleetNode> {
  const { name, http, grpc, opsPort } = addresses;
  const dataDir = path.join(folder, name);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const logs: (() => string)[] = [];
  let [build, env] = [builtProgram, settings];
  let program: Program | undefined;

  async function isReady(): Promise<boolean> {
    const signal = AbortSignal.timeout(2000);
    return (await fetch(`http://127.0.0.1:${opsPort}/readyz`, { signal })).status === 200;
  }
  return {
    ...addresses,
    dataDir,
    isRunning: () => program?.child.exitCode === null && program.child.signalCode === null,
    use(program, values) {
      [build, env] = [program, values];
    },
    async start() {
      const started = performance.now();
      const values = {
        LATCHKEY_HTTP_ADDRESS: http,
        LATCHKEY_GRPC_ADDRESS: grpc,
        LATCHKEY_OPS_ADDRESS: `127.0.0.1:${opsPort}`,
        ...env,
      };
      const running = await spawnProgram(values, dataDir, undefined, endsWithRun, build);
      program = running;
      logs.push(() => running.stdout() + running.stderr());
      const ended = running.ended.then((end) => {
        throw new Error(`${name} ended (${end})`);
      });
      ended.catch(() => {});
      await Promise.race([waitFor(`${name} is ready`, isReady, { seconds: 60 }), ended]).catch(
        (error: Error) => {
          throw new Error(
            `${error.message}: ${running.stderr()}${running.stdout()}`.slice(0, 4000),
          );
        },
      );
      return (performance.now() - started) / 1000;
    },
    async stop() {
      program?.child.kill('SIGTERM');
      return (await program?.ended) ?? 0;
    },
    kill: async () => program?.kill(),
    suspend: () => void program?.child.kill('SIGSTOP'),
    resume: () => void program?.child.kill('SIGCONT'),
    log: () => logs.map((text) => text()).join(''),
  };
}
