// HAProxy with the configuration that deploy/ ships.
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { canConnect } from './can-connect.ts';
import type { NodeAddresses } from './node.ts';
import { serverProcess, waitFor } from './process.ts';

const shipped = path.resolve(import.meta.dirname, '../../../deploy/haproxy/haproxy.cfg');

export type HaProxy = Awaited<ReturnType<typeof startHaProxy>>;

export async function startHaProxy(
  folder: string,
  { httpPort, grpcPort }: { httpPort: number; grpcPort: number },
  nodes: readonly NodeAddresses[],
) {
  await mkdir(folder, { recursive: true });
  const adminSocket = path.join(folder, 'admin.sock');
  const env: Record<string, string> = {
    ADMIN_SOCKET: adminSocket,
    HTTP_ADDRESS: `127.0.0.1:${httpPort}`,
    GRPC_ADDRESS: `127.0.0.1:${grpcPort}`,
  };
  for (const [at, { http, grpc, opsPort }] of nodes.entries()) {
    env[`NODE${at + 1}_HTTP`] = http;
    env[`NODE${at + 1}_GRPC`] = grpc;
    env[`NODE${at + 1}_OPS_PORT`] = `${opsPort}`;
  }
  const server = serverProcess({ command: 'haproxy', args: ['-db', '-f', shipped], folder, env });
  server.start();
  await waitFor('HAProxy listens', () => canConnect(httpPort)).catch((error) => {
    throw new Error(server.output(), { cause: error });
  });

  async function command(line: string): Promise<string> {
    const socket = connect({ path: adminSocket });
    socket.end(`${line}\n`);
    return (await text(socket)).trim();
  }
  return {
    output: server.output,
    /** Sends new requests to the other nodes, or to this one again. */
    async setState(node: string, state: 'drain' | 'ready'): Promise<void> {
      // The gRPC backend follows the state of the HTTP backend.
      const answer = await command(`set server http_nodes/${node} state ${state}`);
      if (answer !== '') throw new Error(answer);
    },
    /** Waits until both backends send requests to the node. */
    async untilUp(node: string): Promise<void> {
      await waitFor(`HAProxy uses ${node}`, async () => {
        const lines = (await command('show stat')).split('\n');
        const states = lines.filter((line) => line.split(',')[1] === node);
        return states.length === 2 && states.every((line) => /^UP/.test(line.split(',')[17] ?? ''));
      });
    },
  };
}
