// An address of a server whose answers never arrive.
import { startForwarding } from './forwarding-server.ts';

/** Forwards the requests to a port of this machine, and drops the answers. Returns its own port. */
export const startSilentProxy = (port: number): Promise<number> =>
  startForwarding({
    target: () => ({ port, host: '127.0.0.1' }),
    join: (client, upstream) => void client.pipe(upstream).resume(),
  });
