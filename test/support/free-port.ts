// Ports for servers whose port must be known before they listen, or stay the same after a restart.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which Linux takes the ports of clients, and of servers that listen on port
 * 0. Other processes therefore do not take such a port in the meantime.
 */
const [firstPort, endPort] = [20_000, 32_000];

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort);
    if (await isFree(port)) return port;
  }
}

/** Whether a server could listen on the port. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(true)));
  });
}
