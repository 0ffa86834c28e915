// Requests that the service sends to servers which an administrator chose (SSRF).
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createEgressFetch, EgressError, isEgressUrl } from '../../../src/base/net/egress-fetch.ts';
import { itHoldsFor } from '../../support/rule.ts';

const get = { method: 'GET', headers: {} };

itHoldsFor(
  [
    ...['https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://localhost/'],
    ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:a9fe:a9fe]/'],
    ...['https://10.0.0.1/', 'https://172.31.255.255/', 'https://192.168.1.1/'],
    ...['https://169.254.169.254/latest/meta-data/', 'https://100.64.0.1/', 'https://0.0.0.0/'],
    ...['https://[fd00::1]/', 'https://[fe80::1]/', 'https://[64:ff9b::a00:1]/'],
    ...['https://[2002:a00:1::]/', 'https://224.0.0.1/', 'https://255.255.255.255/'],
    ...['http://127.0.0.1/', 'http://example.com/', 'http://93.184.215.14/'],
    ...['file:///etc/passwd', 'ftp://example.com/', 'data:,x', 'gopher://127.0.0.1/'],
    ...['https://user:password@example.com/', 'not a URL', ''],
  ],
  25,
)('a request is refused without a connection', async (url) => {
  const fetchGuarded = createEgressFetch({ networks: [], timeoutMs: 1_000, bytesMax: 1_000 });
  await expect(fetchGuarded(url, get)).rejects.toThrow(EgressError);
});

it('http is accepted only for a loopback address in a listed network', async () => {
  const networks = ['127.0.0.0/8', '10.0.0.0/8'];
  expect(isEgressUrl('http://127.0.0.1:1/', networks)).toBe(true);
  expect(isEgressUrl('https://login.example.com/', networks)).toBe(true);
  for (const url of ['http://10.0.0.1/', 'http://localhost/', 'http://[::1]/']) {
    expect(isEgressUrl(url, networks), url).toBe(false);
  }
  const server = createServer((_request, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end('moved');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const fetchGuarded = createEgressFetch({ networks, timeoutMs: 60_000, bytesMax: 1_000 });
  const response = await fetchGuarded(`http://127.0.0.1:${port}/`, get);
  expect([response.status, await response.text()]).toEqual([302, 'moved']);
});

itHoldsFor(
  [
    ...['000', '99', '101', '199', '204', '205', '304', '600', '999'].map(
      (status) => `HTTP/1.1 ${status} x\r\nContent-Length: 2\r\n\r\n{}`,
    ),
    'HTTP/1.1 200 OK\r\nContent-Type: \u0001\r\nContent-Length: 2\r\n\r\n{}',
    'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}',
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}',
    `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_001)}`,
    `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)}HTTP/1.1 200 OK\r\n\r\n{}`,
    '{}',
    '',
  ],
  15,
)('a broken response is an EgressError', async (text) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}).on('data', () => socket.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const networks = ['127.0.0.0/8'];
  const fetchGuarded = createEgressFetch({ networks, timeoutMs: 60_000, bytesMax: 1_000 });
  const { port } = server.address() as AddressInfo;
  await expect(fetchGuarded(`http://127.0.0.1:${port}/`, get)).rejects.toThrow(EgressError);
});
