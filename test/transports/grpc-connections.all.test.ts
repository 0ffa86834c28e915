// Connections of the gRPC listener: silent, idle, malformed, flooding, too many.
import type { ClientHttp2Session } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useGrpcApp } from '../support/grpc-suite.ts';
import { startTestApp } from '../support/harness.ts';
import {
  frame,
  frameTypes,
  headerBlock,
  openCall,
  openConnection,
  openSession,
  preface,
  prefix,
  settings,
  shortLimits,
} from '../support/raw-grpc.ts';
import { itHoldsFor } from '../support/rule.ts';

const issueToken = '/latchkey.identity.v1.IssuanceService/IssueToken';
const download = '/latchkey.sharing.v1.DocumentService/DownloadDocument';
const watch = '/grpc.health.v1.Health/Watch';
const check = '/grpc.health.v1.Health/Check';
const reflect = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

const { app, session, tokenRequest, openUnread } = useGrpcApp();

async function connection(...bytes: Buffer[]) {
  const opened = await openConnection(app.app.grpcAddress, ...bytes);
  onTestFinished(() => void opened.socket.destroy());
  return opened;
}

describe('a connection', () => {
  test('without a call is closed', async () => {
    const kinds = [
      await connection(),
      await connection(preface.subarray(0, 10)),
      await connection(preface, settings()),
    ];
    for (const { closed } of kinds) expect(await closed).toBe('closed');
  });

  test('is closed a while after its last call, and not before', async () => {
    const idleMs = shortLimits.idleMs ?? Number.NaN;
    let opened = await session();
    for (let round = 0; round < 3; round += 1) {
      const started = performance.now();
      const call = openCall(opened, issueToken);
      call.stream.end(tokenRequest());
      const status = await call.status;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const isOpen = !opened.closed;
      if (performance.now() - started > idleMs - 500) {
        // The machine was too slow: the connection may have been idle for too long.
        opened = await session();
        round = -1;
      } else expect([status, isOpen]).toEqual(['0', true]);
    }
    await expect.poll(() => opened.closed, { timeout: 20_000 }).toBe(true);
  });

  test('whose calls are all refused is closed like one without a call', async () => {
    const opened = await session();
    const timer = setInterval(() => {
      if (!opened.closed) openCall(opened, download).stream.end();
    }, 500);
    onTestFinished(() => clearInterval(timer));
    await expect.poll(() => opened.closed, { timeout: 20_000 }).toBe(true);
  });

  itHoldsFor([
    ['a settings frame of 5 bytes', frame(frameTypes.settings, 0, 0, Buffer.alloc(5))],
    ['data on stream 0', frame(0, 0, 0, Buffer.alloc(10))],
    ['a frame of 16 MiB', Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])],
    ['a header block that is not HPACK', frame(frameTypes.headers, 5, 1, Buffer.alloc(20, 0xff))],
    ['bytes that are not a frame', Buffer.alloc(400, 0xff)],
  ])('that has sent malformed bytes is closed on both sides', async (_name, malformed) => {
    const opened = await connection(preface, settings(), malformed);
    opened.socket.end();
    expect(await opened.closed).toBe('closed');
  });

  test('whose client does not answer pings is closed, with its call', async () => {
    const few = await startTestApp({ grpcLimits: { pingEveryMs: 1000, pingAnswerMs: 1000 } });
    onTestFinished(() => few.remove());
    const block = frame(frameTypes.headers, 4, 1, headerBlock(watch));
    const bytes = [preface, settings(), block, frame(0, 1, 1, prefix(0))];
    const opened = await openConnection(few.app.grpcAddress, ...bytes);
    onTestFinished(() => void opened.socket.destroy());
    expect(await opened.closed).toBe('closed');
    expect(opened.frames().types).toContain(frameTypes.ping);
  });

  itHoldsFor([
    ['pings', frame(frameTypes.ping, 0, 0, Buffer.alloc(8))],
    ['settings', settings(0, 3, 0, 0, 0, 100)],
  ])('that floods the server with frames is closed', async (_name, flood) => {
    const opened = await connection(preface, settings());
    const timer = setInterval(() => {
      for (let i = 0; i < 60; i += 1) opened.socket.write(flood);
    }, 10);
    onTestFinished(() => clearInterval(timer));
    expect(await opened.closed).toBe('closed');
    // ENHANCE_YOUR_CALM (RFC 9113 §7).
    expect(opened.frames().goaway).toBe(11);
  });

  test('that opens and resets streams endlessly is closed', async () => {
    const opened = await connection(preface, settings());
    const block = headerBlock(issueToken);
    let id = 1;
    const timer = setInterval(() => {
      const frames: Buffer[] = [];
      for (let i = 0; i < 100; i += 1, id += 2) {
        frames.push(frame(frameTypes.headers, 4, id, block));
        frames.push(frame(frameTypes.reset, 0, id, Buffer.from([0, 0, 0, 8])));
      }
      opened.socket.write(Buffer.concat(frames));
    }, 5);
    onTestFinished(() => clearInterval(timer));
    await expect.poll(() => opened.frames().goaway, { interval: 5 }).toBeDefined();
    expect(id).toBeLessThan(20_000);
    expect(await opened.closed).toBe('closed');
  });

  test('that continues a header block endlessly is closed', async () => {
    const opened = await connection(preface, settings());
    opened.socket.write(frame(frameTypes.headers, 0, 1, headerBlock(issueToken)));
    const field = Buffer.from([0, 1, 0x61, 100, ...Buffer.alloc(100, 0x61)]);
    let sent = 0;
    const timer = setInterval(() => {
      for (let i = 0; i < 10; i += 1, sent += 1) {
        opened.socket.write(frame(frameTypes.more, 0, 1, field));
      }
    }, 5);
    onTestFinished(() => clearInterval(timer));
    expect(await opened.closed).toBe('closed');
    expect(sent).toBeLessThan(2000);
  });
});

describe('the listener', () => {
  test('answers other clients while slow connections are open, and closes those', async () => {
    const each = 20;
    const ends: Promise<string>[] = [];
    for (let i = 0; i < each; i += 1) {
      ends.push((await connection()).closed, (await connection(preface, settings())).closed);
      const unfinished = openCall(await session(), issueToken);
      unfinished.stream.write(prefix(1000));
      ends.push(unfinished.status, (await openUnread()).status);
    }
    const call = openCall(await session(), issueToken);
    call.stream.end(tokenRequest());
    expect(await call.status).toBe('0');
    expect(await Promise.all(ends)).toHaveLength(4 * each);
  });

  test('at its limit closes the oldest connection without an accepted call', async () => {
    const few = await startTestApp({ grpcLimits: { connectionsMax: 2 } });
    onTestFinished(() => few.remove());
    const open = async () => {
      const opened = await openSession(few.app.grpcAddress);
      onTestFinished(() => opened.destroy());
      return opened;
    };
    const refused = async (opened: ClientHttp2Session) => {
      const call = openCall(opened, download);
      expect(await call.status).toBe(String(status.UNAUTHENTICATED));
    };
    const accepted = async (opened: ClientHttp2Session) => {
      const call = openCall(opened, download, { authorization: `Bearer ${few.env.API_KEY}` });
      call.stream.end(prefix(0));
      expect(await call.status).toBe(String(status.INVALID_ARGUMENT));
    };
    const first = await open();
    await accepted(first);
    const second = await open();
    await refused(second);
    const unfinished = openCall(second, issueToken);
    unfinished.stream.write(prefix(1000));
    const third = await open();
    await expect.poll(() => second.closed).toBe(true);
    await accepted(third);

    const { closed } = await openConnection(few.app.grpcAddress, preface, settings());
    expect(await closed).toBe('closed');
    await Promise.all([first, third].map(accepted));
  });

  test('at its limit of health watchers refuses watchers, but no other call', async () => {
    const opened = await session();
    const watchers = Array.from({ length: 4 }, () => openCall(opened, watch));
    for (const { stream } of watchers) stream.end(prefix(0));
    expect(await watchers[3]?.status).toBe(String(status.UNAVAILABLE));
    const checked = openCall(opened, check);
    checked.stream.end(prefix(0));
    const call = openCall(opened, issueToken);
    call.stream.end(tokenRequest());
    expect([await checked.status, await call.status]).toEqual(['0', '0']);
    for (const { stream } of watchers) stream.close();
  });

  test('limits the health watchers per connection', async () => {
    const few = await startTestApp({ grpcLimits: { lastingCallsPerConnectionMax: 1 } });
    onTestFinished(() => few.remove());
    const [one, other] = await Promise.all([1, 2].map(() => openSession(few.app.grpcAddress)));
    onTestFinished(() => {
      one?.destroy();
      other?.destroy();
    });
    const watchOn = async (opened = one) => {
      if (opened === undefined) throw new Error('there is no session');
      const call = openCall(opened, watch);
      call.stream.end(prefix(0));
      const first = new Promise<string>((resolve) => {
        call.stream.once('data', () => resolve('watches'));
      });
      return { call, outcome: await Promise.race([call.status, first]) };
    };
    const first = await watchOn();
    const [second, elsewhere] = [await watchOn(), await watchOn(other)];
    const outcomes = [first.outcome, second.outcome, elsewhere.outcome];
    expect(outcomes).toEqual(['watches', String(status.UNAVAILABLE), 'watches']);
    first.call.stream.close();
    await expect.poll(async () => (await watchOn()).outcome).toBe('watches');
  });

  test('ends a reflection call that stays open, which does not count as a watcher', async () => {
    const opened = await session();
    const reflections = Array.from({ length: 3 }, () => openCall(opened, reflect));
    for (const { stream } of reflections) stream.write(prefix(0));
    const watcher = openCall(opened, watch);
    const isWatching = new Promise((resolve) => watcher.stream.once('data', resolve));
    watcher.stream.end(prefix(0));
    await isWatching;
    const late = String(status.DEADLINE_EXCEEDED);
    expect(await Promise.all(reflections.map((call) => call.status))).toEqual([late, late, late]);
    watcher.stream.close();
  });
});
