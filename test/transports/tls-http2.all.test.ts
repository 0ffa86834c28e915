// The HTTP listener against HTTP/2 clients that break the rules, and clients that break TLS.
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flags, frame, headerBlock, http2Preface, types } from '../support/http2-frames.ts';
import { itHoldsFor } from '../support/rule.ts';
import { openHttp2, startTlsApp } from '../support/tls-app.ts';
import { useStarted } from '../support/use-started.ts';

const test = useStarted(() =>
  startTlsApp({
    httpLimits: { requestMs: 2_000 },
    bodyTimeoutMs: 60_000,
    tlsTimes: { handshakeMs: 1_000 },
  }),
);

const ca = () => test.files.authority.certificate;
const port = () => Number(new URL(test.app.publicUrl).port);

async function openTls(options: object = {}): Promise<TLSSocket> {
  const socket = connectTls({ port: port(), host: '127.0.0.1', ca: ca(), ...options });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

function open() {
  const client = openHttp2(test.app.publicUrl, ca());
  onTestFinished(() => client.close());
  return client;
}

/** Resolves when the service has read the frames so far: it answers a ping after them. */
async function framesRead(session: ClientHttp2Session): Promise<void> {
  if (session.connecting) await once(session, 'connect');
  await new Promise((resolve) => session.ping(resolve));
}

/** The number of documents that exist. */
async function documents(): Promise<number> {
  const { body } = await open().send('/api/v1/documents', {
    headers: { authorization: `Bearer ${test.env.API_KEY}` },
  });
  return JSON.parse(body.toString()).total_size;
}

function frameTypesIn(bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    found.push(bytes.readUInt8(at + 3));
  }
  return found;
}

/** A whole message of an upload over Connect. */
function uploadMessage(): Buffer {
  const json = Buffer.from(JSON.stringify({ name: 'cut.txt', file: 'AAAA' }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}

describe('a request over HTTP/2', () => {
  itHoldsFor([constants.NGHTTP2_CANCEL, constants.NGHTTP2_NO_ERROR])(
    'that is reset before its end stores nothing',
    async (code) => {
      const before = await documents();
      const { session } = open();
      const stream = session.request({
        ':method': 'POST',
        ':path': '/latchkey.sharing.v1.DocumentService/UploadDocument',
        'content-type': 'application/connect+json',
        authorization: `Bearer ${test.env.API_KEY}`,
        'x-request-id': `reset-${code}`,
      });
      stream.on('error', () => {});
      stream.write(uploadMessage());
      await framesRead(session);
      stream.close(code);
      await expect
        .poll(() => test.logText())
        .toMatch(new RegExp(`"reset-${code}".*"canceled"|"canceled".*"reset-${code}"`));
      expect(await documents()).toBe(before);
    },
  );

  it('that does not arrive in full within the time limit is reset', async () => {
    const { session } = open();
    const stream = session.request({
      ':method': 'POST',
      ':path': '/tokens',
      'content-type': 'application/json',
    });
    stream.on('error', () => {});
    stream.write('{');
    await once(stream, 'close');
    expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
    expect((await open().send('/.well-known/jwks.json')).status).toBe(200);
  });

  it('with two different hosts is refused', async () => {
    const headers = { ':authority': 'localhost', host: 'other.example' };
    const answer = await open().send('/console', { headers });
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).toContain('more than one Host');
  });

  it('with Transfer-Encoding is refused', async () => {
    const socket = await openTls({ ALPNProtocols: ['h2'] });
    const block = headerBlock('/tokens', {
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    });
    const received: Buffer[] = [];
    socket.on('data', (bytes) => received.push(bytes));
    const settings = frame(types.settings, 0, 0);
    const head = frame(types.headers, flags.endHeaders, 1, block);
    socket.write(Buffer.concat([http2Preface, settings, head]));
    const reset = frame(
      types.reset,
      0,
      1,
      Buffer.from([0, 0, 0, constants.NGHTTP2_PROTOCOL_ERROR]),
    );
    await expect.poll(() => Buffer.concat(received).includes(reset)).toBe(true);
  });
});

describe('a connection over HTTP/2', () => {
  it('that opens and resets streams endlessly is ended', async () => {
    const socket = await openTls({ ALPNProtocols: ['h2'] });
    let received = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
    });
    socket.write(Buffer.concat([http2Preface, frame(types.settings, 0, 0)]));
    const block = headerBlock('/tokens', { 'content-type': 'application/json' });
    let id = 1;
    const timer = setInterval(() => {
      const frames: Buffer[] = [];
      for (let i = 0; i < 100; i += 1, id += 2) {
        frames.push(frame(types.headers, flags.endHeaders, id, block));
        frames.push(frame(types.reset, 0, id, Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL])));
      }
      socket.write(Buffer.concat(frames));
    }, 5);
    onTestFinished(() => clearInterval(timer));
    await expect.poll(() => frameTypesIn(received), { interval: 5 }).toContain(types.goAway);
    expect((await open().send('/.well-known/jwks.json')).status).toBe(200);
  });

  it('finishes its requests while the service stops', async () => {
    const other = await startTlsApp();
    onTestFinished(() => other.remove());
    const session = connectHttp2(other.app.publicUrl, { ca: other.files.authority.certificate });
    onTestFinished(() => session.destroy());
    const stream = session.request({
      ':method': 'POST',
      ':path': '/tokens',
      'content-type': 'application/json',
      'content-length': '2',
    });
    const answered = once(stream, 'response');
    stream.write('{');
    await framesRead(session);
    const closed = once(session, 'close');
    const retired = once(session, 'goaway');
    const stopped = other.stop();
    await retired;
    stream.end('}');
    const [headers] = await answered;
    expect(headers[':status']).toBe(400);
    stream.resume();
    await Promise.all([stopped, closed]);
  });
});

describe('a TLS client', () => {
  it('with TLS 1.1 is refused, and with TLS 1.2 accepted', async () => {
    const old = connectTls({
      port: port(),
      host: '127.0.0.1',
      ca: ca(),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const [error] = await once(old, 'error');
    expect(error.code).toMatch(/PROTOCOL_VERSION/);
    expect((await openTls({ maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2');
  });

  it('cannot renegotiate', async () => {
    const socket = await openTls({ maxVersion: 'TLSv1.2' });
    const refused = once(socket, 'error');
    socket.renegotiate({}, () => {});
    const [error] = await refused;
    expect(error.code).toMatch(/NO_RENEGOTIATION/);
  });

  const silent: [string, string | Buffer][] = [
    ['stays silent', ''],
    ['sends HTTP without TLS', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['sends half of a handshake', Buffer.from('160301', 'hex')],
  ];
  itHoldsFor(
    silent,
    3,
    'together',
  )('without a handshake is disconnected', async (_, bytes) => {
    for (const listener of [port(), Number(test.app.grpcAddress.split(':')[1])]) {
      const socket = connectTcp(listener, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      socket.resume().write(bytes);
      await once(socket, 'close');
    }
    expect((await open().send('/.well-known/jwks.json')).status).toBe(200);
  });
});
