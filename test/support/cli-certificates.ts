// A service with mutual TLS, and shells of the command line with a client's certificate.
import { writeFile } from 'node:fs/promises';
import { createServer, globalAgent } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { createAuthority, type KeyPair } from './certificates.ts';
import { openShell, openStaffShell, type Shell } from './cli.ts';
import { localNames, startTlsApp } from './tls-app.ts';
import { useStarted } from './use-started.ts';

const uri = 'spiffe://example.org/billing';
const scopes = ['accounts:read', 'documents:read', 'documents:write', 'tokens:read'];

/** Instead of NODE_EXTRA_CA_CERTS, which Node reads only when a process starts. */
const trust = (...authorities: readonly { readonly certificate: string }[]) => {
  globalAgent.options.ca = authorities.map(({ certificate }) => certificate);
};

const createWords = (more: readonly string[]) => [
  ...['clients', 'create', ...more, '--bound-tokens', '--json'],
  ...scopes.flatMap((scope) => ['--scope', scope]),
];

export function useCertificates() {
  const workloads = createAuthority('Workloads');
  const own = workloads.issue({ uri: [uri] });
  const program = useStarted(() => startTlsApp({ clientAuthority: workloads }));
  beforeAll(() => trust(program.files.authority));
  afterAll(() => {
    globalAgent.options.ca = undefined;
    globalAgent.destroy();
  });

  async function createClient(...more: readonly string[]) {
    const staff = await openStaffShell(program);
    const { status, stdout, stderr } = await staff.run(createWords(more));
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const created = JSON.parse(stdout);
    return { id: created.client.id as string, secret: created.client_secret as string };
  }

  let billing: ReturnType<typeof createClient> | undefined;

  /** The client of the certificate. A name belongs to one client. */
  async function billingId() {
    billing ??= createClient('billing', '--certificate-uri', uri);
    return (await billing).id;
  }

  /** A shell with the files of a certificate. Its environment does not name them. */
  async function openWithFiles(env: Record<string, string>, pair: KeyPair = own): Promise<Shell> {
    const shell = await openShell({ LATCHKEY_BASE_URL: program.app.publicUrl, ...env });
    await writeFile(path.join(shell.home, 'own.crt'), pair.certificate);
    await writeFile(path.join(shell.home, 'own.key'), pair.key);
    return shell;
  }

  /** A server that records the certificate of each connection, and redirects each request. */
  async function startOtherServer() {
    const authority = createAuthority('Other');
    const { certificate: cert, key } = authority.issue(localNames);
    const presented: unknown[] = [];
    const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false });
    server.on('secureConnection', (socket: TLSSocket) => {
      presented.push(socket.getPeerX509Certificate());
    });
    server.on('request', (_, response) => {
      response.writeHead(302, { location: program.app.publicUrl }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    trust(program.files.authority, authority);
    onTestFinished(() => {
      trust(program.files.authority);
      server.closeAllConnections();
      server.close();
    });
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { address, presented };
  }

  return { program, workloads, own, createClient, billingId, openWithFiles, startOtherServer };
}
