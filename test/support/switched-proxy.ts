// An address of PostgreSQL servers that a failover moves from one server to another.
import { startForwarding } from './forwarding-server.ts';

export type SwitchedProxy = {
  /** The URL of the database at this address. */
  readonly url: string;
  /** New connections lead to the server of this URL. Existing ones stay open. */
  switchTo(databaseUrl: string): void;
};

export async function startSwitchedProxy(databaseUrl: string): Promise<SwitchedProxy> {
  let target = new URL(databaseUrl);
  const port = await startForwarding({
    target: () => ({ port: Number(target.port), host: target.hostname }),
    join: (client, upstream) => void client.pipe(upstream).pipe(client),
  });
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    switchTo(other) {
      target = new URL(other);
    },
  };
}
