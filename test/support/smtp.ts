// A real SMTP server that stores every mail it receives.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type Arrived = {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly encrypted: boolean;
  readonly raw: string;
  readonly mail: Email;
};

export type TestSmtpServer = {
  readonly port: number;
  readonly arrived: readonly Arrived[];
  stop(): Promise<void>;
};

/**
 * A port that refuses connections. The port of a stopped server could meanwhile belong to a server
 * of another test; no system chooses this one for a server.
 */
export const closedPort = 1;

/** Accepts unencrypted mail from any sender unless the options say otherwise. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const arrived: Arrived[] = [];
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    closeTimeout: 100,
    onData(stream, { envelope, user, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString();
        arrived.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          user: user === undefined ? undefined : String(user),
          encrypted: secure,
          raw,
          mail: await PostalMime.parse(raw),
        });
        done();
      });
    },
    ...options,
  });
  // A client that disconnects must not fail the server.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    arrived,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
