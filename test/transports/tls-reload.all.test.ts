// The files with the certificate: checked at the start, and read again while the service runs.
import { mkdir, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { createAuthority, type KeyPair } from '../support/certificates.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  createTlsFiles,
  localNames,
  openHttp1,
  openHttp2,
  startTlsApp,
  type TlsFiles,
} from '../support/tls-app.ts';
import { openGrpcTransport } from '../support/transports.ts';
import { logOf, startNode, withEachWorker } from '../support/worker-node.ts';

async function newFiles(): Promise<TlsFiles> {
  const files = await createTlsFiles();
  onTestFinished(() => files.remove());
  return files;
}

/** The fingerprint of the certificate on a new connection. */
function servedBy(address: string, protocol: 'http/1.1' | 'h2', ca: string): Promise<string> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const options = { host: host ?? '', port: Number(port), ca, ALPNProtocols: [protocol] };
    const socket: TLSSocket = connectTls(options, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('a start is refused, and the error names the setting, if', () => {
  const other = createAuthority('Other').issue(localNames);
  itHoldsFor([
    ['the certificate does not exist', 'tls.crt', undefined, /^LATCHKEY_TLS_CERT: .*ENOENT/],
    ['the certificate is not PEM', 'tls.crt', 'x', /^LATCHKEY_TLS_CERT: .*without a certificate/],
    ['the key does not exist', 'tls.key', undefined, /^LATCHKEY_TLS_KEY: .*ENOENT/],
    ['the key is not PEM', 'tls.key', 'x', /^LATCHKEY_TLS_KEY: .*without a private key/],
    ['the key is another one', 'tls.key', other.key, /^LATCHKEY_TLS_KEY: is not the key/],
    ['the CA is empty', 'grpc-ca', '', /^LATCHKEY_GRPC_CLIENT_CA: .*without a certificate/],
    ['the CA is no CA', 'grpc-ca', other.certificate, /^LATCHKEY_GRPC_CLIENT_CA: .*not one of/],
    ['a CA of HTTP is none', 'http-ca', other.certificate, /^LATCHKEY_HTTP_CLIENT_CA: .*not one/],
  ])('keeps the certificate in use, and logs the cause', async (_, name, content, expected) => {
    const files = await newFiles();
    const file = path.join(files.folder, name);
    if (content === undefined) await rename(file, `${file}.old`);
    else await writeFile(file, content);
    const config = {
      ...files.paths,
      grpcClientCa: name === 'grpc-ca' ? file : undefined,
      httpClientCa: name === 'http-ca' ? file : undefined,
    };
    const dataDir = files.folder;
    await expect(startTestApp({ dataDir, config })).rejects.toThrow(expected);
  });
});

it('files that do not fit are reported once, and the old certificate stays', async () => {
  const app = await startTlsApp();
  onTestFinished(() => app.remove());
  const { files } = app;
  const ca = files.authority.certificate;
  const address = new URL(app.app.publicUrl).host;
  const before = await servedBy(address, 'h2', ca);
  const next = files.authority.issue(localNames);

  await files.write({ certificate: next.certificate });
  const reports = async () =>
    (await app.logText()).split('\n').filter((line) => line.includes('cannot use the new TLS'));
  await expect.poll(reports).toHaveLength(1);
  expect((await reports())[0]).toContain('LATCHKEY_TLS_KEY: is not the key');
  expect(await servedBy(address, 'h2', ca)).toBe(before);

  await files.write({ key: next.key });
  await expect.poll(() => servedBy(address, 'h2', ca)).not.toBe(before);
  expect(await reports()).toHaveLength(1);
});

/** Puts the pair into a new folder and moves a symbolic link to it, as Kubernetes does. */
async function project(folder: string, { certificate, key }: KeyPair): Promise<void> {
  const link = path.join(folder, '..data');
  const old = await readlink(link).catch(() => '0');
  const version = String(Number(old) + 1);
  await mkdir(path.join(folder, version));
  await writeFile(path.join(folder, version, 'tls.crt'), certificate);
  await writeFile(path.join(folder, version, 'tls.key'), key);
  await symlink(version, `${link}_tmp`);
  await rename(`${link}_tmp`, link);
}

it('no request fails while the files change', async () => {
  const files = await newFiles();
  const ca = files.authority.certificate;
  await project(files.folder, files.authority.issue(localNames));
  const at = (name: string) => path.join(files.folder, '..data', name);
  const app = await startTestApp({
    config: { tlsCert: at('tls.crt'), tlsKey: at('tls.key') },
    tlsTimes: { pollMs: 20 },
  });
  onTestFinished(() => app.remove());
  const { publicUrl, grpcAddress } = app.app;
  let isDone = false;
  const seen = { 'HTTP/1.1': new Set<string>(), 'HTTP/2': new Set<string>() };
  let kept = 0;

  async function requestAll(name: keyof typeof seen, open: typeof openHttp1): Promise<void> {
    const lasting = open(publicUrl, ca);
    while (!isDone) {
      const client = open(publicUrl, ca);
      const answer = await client.send('/.well-known/jwks.json');
      expect(answer.status).toBe(200);
      seen[name].add(answer.fingerprint);
      client.close();
      if ((await lasting.send('/.well-known/jwks.json')).status === 200) kept++;
    }
    lasting.close();
  }
  async function callAll(): Promise<void> {
    while (!isDone) {
      const secure = credentials.createSsl(Buffer.from(ca));
      const transport = openGrpcTransport(app.app, secure);
      const answer = await transport.call(VerificationService.method.getJwks, {});
      expect(answer.ok).toBe(true);
      transport.close();
    }
  }
  const load = Promise.all([
    requestAll('HTTP/1.1', openHttp1),
    requestAll('HTTP/2', openHttp2),
    callAll(),
  ]);
  load.catch(() => {});
  const fingerprints = new Set<string>();
  for (let i = 0; i < 4; i++) {
    await project(files.folder, files.authority.issue(localNames));
    const isNew = async () => {
      const found = await servedBy(grpcAddress, 'h2', ca);
      return fingerprints.has(found) ? '' : found;
    };
    await expect.poll(isNew).not.toBe('');
    fingerprints.add(await isNew());
  }
  isDone = true;
  await load;
  expect(seen['HTTP/1.1'].size).toBeGreaterThan(1);
  expect(seen['HTTP/2'].size).toBeGreaterThan(1);
  expect(kept).toBeGreaterThan(0);
  expect(await app.logText()).not.toContain('cannot use the new TLS');
});

it('each of two workers serves the new certificate on both ports', async () => {
  const files = await newFiles();
  const ca = files.authority.certificate;
  const { tlsCert, tlsKey } = files.paths;
  const node = await startNode('sqlite', {
    LATCHKEY_TLS_CERT: tlsCert,
    LATCHKEY_TLS_KEY: tlsKey,
  });
  expect(node.env.LATCHKEY_BASE_URL).toMatch(/^https:/);
  const http = new URL(node.env.LATCHKEY_BASE_URL).host;
  const grpc = node.env.LATCHKEY_GRPC_ADDRESS;
  const served = () =>
    withEachWorker(node, async () => [
      await servedBy(http, 'http/1.1', ca),
      await servedBy(http, 'h2', ca),
      await servedBy(grpc, 'h2', ca),
    ]);
  const before = new Set((await served()).flat());
  expect(before.size).toBe(1);

  await files.write(files.authority.issue(localNames));
  const reloads = () => logOf(node).filter(({ msg }) => msg === 'TLS files reloaded').length;
  await expect.poll(reloads).toBe(2);
  const after = new Set((await served()).flat());
  expect(after.size).toBe(1);
  expect([...after]).not.toEqual([...before]);
});
