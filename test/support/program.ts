// The built program as a process of its own, for what only a process can suffer.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from './harness.ts';

const mainFile = path.resolve(import.meta.dirname, '../../dist/src/main.js');

export type Program = {
  /** What the program has written about itself: its addresses and its first credentials. */
  readonly env: ReturnType<typeof parseEnv>;
  /** Ends the process at once, as the kernel or a power cut would. */
  kill(): Promise<void>;
};

/** Starts the program on free ports; resolves once it answers. */
export async function startProgram(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const address = '127.0.0.1:0';
  const child = spawn(process.execPath, [mainFile], {
    env: {
      PATH: process.env.PATH,
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_HTTP_ADDRESS: address,
      LATCHKEY_GRPC_ADDRESS: address,
      LATCHKEY_OPS_ADDRESS: address,
      LATCHKEY_LOG_LEVEL: 'silent',
      LATCHKEY_BOOTSTRAP: 'demo',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await ready(child);
  return {
    env: parseEnv(await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8')),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (bytes) => {
      said += bytes;
      if (said.includes('Latchkey is ready.')) resolve();
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the program ended: ${said}`)));
  });
}
