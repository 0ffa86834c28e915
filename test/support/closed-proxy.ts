// A proxy of a PostgreSQL server that stays closed until a test opens it.
import { startForwarding } from './forwarding-server.ts';

export type ClosedProxy = {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Resolves when the first client waits. */
  readonly tried: Promise<void>;
  open(): void;
};

/** Accepts connections, but forwards no byte before it is open. */
export async function startClosedProxy(databaseUrl: string): Promise<ClosedProxy> {
  const { port, hostname: host } = new URL(databaseUrl);
  let reportTry = () => {};
  const tried = new Promise<void>((resolve) => {
    reportTry = resolve;
  });
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const proxyPort = await startForwarding({
    target: () => ({ port: Number(port), host }),
    async join(client, upstream) {
      reportTry();
      await opened;
      client.pipe(upstream).pipe(client);
    },
  });
  const url = new URL(databaseUrl);
  url.port = String(proxyPort);
  return { url: url.href, tried, open };
}
