// 100 connections of each slow kind: each is closed in time, and meanwhile other clients are
// served.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { callsTo } from '../support/campaign-calls.ts';
import { frame, headersFrame, http2Preface, types } from '../support/http2-frames.ts';
import { descriptorsOf, type RunningProgram, startProgram } from '../support/program.ts';
import { requestHead } from '../support/raw-http.ts';

const connectionsPerKind = 100;
const deadlineSeconds = 30;
const slackSeconds = 10;
const dripMs = 5_000;
const windowMs = 5_000;

export const slowChecks: readonly Check[] = [
  { name: 'slow connections', secondsMax: [100, 200], run: openSlowConnections },
];

type Kind = {
  readonly port: 'http' | 'grpc';
  /** Sent at once. */
  readonly start: Buffer | string;
  /** Sent every few seconds; undefined sends nothing. */
  readonly drip?: Buffer | string;
  /** Half-closes the connection at once, and waits for the server to close it. */
  readonly closes?: boolean;
  /** Whether the answer so far ends the call, for calls whose connection may stay open. */
  readonly isCut?: (received: Buffer) => boolean;
};

async function openSlowConnections(trial: Trial): Promise<void> {
  const program = await startProgram({ LATCHKEY_BOOTSTRAP: 'demo', LATCHKEY_LOG_LEVEL: 'error' });
  trial.onEnd(() => program.remove());
  const pid = program.child.pid ?? 0;
  await measureWindow(program);
  const descriptors = descriptorsOf(pid);
  const kinds = await kindsOf(program, trial);

  // Alternates with quiet windows, so that a busy machine slows both.
  const quiet = [await measureWindow(program), await measureWindow(program)];
  const slow = Object.entries(kinds).flatMap(([name, kind]) =>
    Array.from({ length: connectionsPerKind }, () => ({ name, cut: openSlow(program, kind) })),
  );
  const loaded: number[] = [];
  for (let i = 0; i < 4; i++) loaded.push(await measureWindow(program));
  const seconds = await Promise.all(slow.map(async ({ cut }) => (await cut) / 1000));
  quiet.push(await measureWindow(program), await measureWindow(program));

  const limit = deadlineSeconds + slackSeconds;
  for (const name of Object.keys(kinds)) {
    const times = seconds.filter((_, i) => slow[i]?.name === name);
    const late = times.filter((time) => time > limit).length;
    const last = Math.max(...times);
    trial.figure(name, Number.isFinite(last) ? `${last.toFixed(0)} s` : `${late} not cut`);
    if (late > 0) trial.fail(`${name}: ${late} of ${times.length} are open after ${limit} s`);
  }
  const [quietMs, loadedMs] = [Math.min(...quiet), Math.min(...loaded)];
  trial.figure('p99 quiet', `${quiet.map((ms) => ms.toFixed(1)).join('/')} ms`);
  trial.figure('p99 loaded', `${loaded.map((ms) => ms.toFixed(1)).join('/')} ms`);
  // A machine that runs CI may be busy, so there the figures are only printed.
  const isSlowed = !trial.isShort && loadedMs > 2 * quietMs;
  if (isSlowed) trial.fail(`p99 ${loadedMs} ms, ${quietMs} ms when it is quiet`);
  await sleep(1000);
  const left = descriptorsOf(pid) - descriptors;
  trial.figure('descriptors left', left);
  if (left > 10) trial.fail(`${left} descriptors are left`);
}

/** The p99 latency of four callers who issue tokens, in milliseconds. */
async function measureWindow(program: RunningProgram): Promise<number> {
  const { issue } = callsTo(program);
  const { CLIENT_ID, CLIENT_SECRET } = program.env;
  const end = performance.now() + windowMs;
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (performance.now() < end) {
        const started = performance.now();
        await issue(CLIENT_ID, CLIENT_SECRET, 'payments:read');
        times.push(performance.now() - started);
        await sleep(10);
      }
    }),
  );
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

/** Resolves to the milliseconds until the service closed it; to infinity if it did not. */
function openSlow(
  program: RunningProgram,
  { port, start, drip, closes, isCut }: Kind,
): Promise<number> {
  const number = port === 'http' ? program.httpPort : grpcPortOf(program);
  return new Promise((resolve) => {
    const socket: Socket = connect({ port: number, host: '127.0.0.1' });
    const started = performance.now();
    let received: Buffer = Buffer.alloc(0);
    const timers = [
      setInterval(() => drip !== undefined && socket.write(drip), dripMs),
      setTimeout(() => done(Number.POSITIVE_INFINITY), (deadlineSeconds + slackSeconds + 1) * 1000),
    ];
    function done(ms = performance.now() - started): void {
      for (const timer of timers) clearInterval(timer);
      socket.destroy();
      resolve(ms);
    }
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]).subarray(-65_536);
      if (isCut?.(received)) done();
    });
    socket.on('error', () => {});
    socket.on('close', () => done());
    if (closes === true) socket.end(start);
    else socket.write(start);
  });
}

const grpcPortOf = ({ env }: RunningProgram) => Number(env.LATCHKEY_GRPC_ADDRESS.split(':')[1]);

async function kindsOf(program: RunningProgram, trial: Trial): Promise<Record<string, Kind>> {
  const slug = await gatedSlug(program, trial);
  const host = { Host: new URL(program.env.LATCHKEY_BASE_URL).host };
  const post = (path: string, type: string) =>
    requestHead('POST', path, { ...host, 'Content-Type': type, 'Content-Length': '200' });
  const service = '/latchkey.identity.v1.IssuanceService/IssueToken';
  const call = [http2Preface, frame(types.settings, 0, 0), headersFrame(1, service)];
  // DATA on stream 0 is a connection error (RFC 9113 §6.1).
  const malformed = [...call.slice(0, 2), frame(types.data, 0, 0, Buffer.alloc(8))];
  return {
    'a body of /tokens': {
      port: 'http',
      start: `${post('/tokens', 'application/json')}{`,
      drip: ' ',
    },
    'a form of a gate': {
      port: 'http',
      start: `${post(`/s/${slug}`, 'application/x-www-form-urlencoded')}email=`,
      drip: 'a',
    },
    'a Connect body': { port: 'http', start: `${post(service, 'application/json')}{`, drip: ' ' },
    'half of the headers': {
      port: 'http',
      start: `GET /healthz HTTP/1.1\r\nHost: ${host.Host}\r\nX-Slow: `,
      drip: 'a',
    },
    'a silent gRPC connection': { port: 'grpc', start: '' },
    'a gRPC connection with half a preface': { port: 'grpc', start: http2Preface.subarray(0, 10) },
    'an unfinished gRPC call': {
      port: 'grpc',
      // A message of 200 bytes, of which one has arrived.
      start: Buffer.concat([...call, frame(types.data, 0, 1, Buffer.from([0, 0, 0, 0, 200, 1]))]),
      isCut: (received) => endsStream(received),
    },
    'a malformed HTTP/2 frame': { port: 'grpc', start: Buffer.concat(malformed) },
    'a malformed HTTP/2 frame, then an end': {
      port: 'grpc',
      start: Buffer.concat(malformed),
      closes: true,
    },
  };
}

/** Whether stream 1 was reset or has its trailers, or the server sent GOAWAY. */
function endsStream(received: Buffer): boolean {
  for (let at = 0; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3)) {
    const [type = 0, flags = 0] = received.subarray(at + 3, at + 5);
    if (type === types.reset || type === types.goAway) return true;
    if (type === types.headers && (flags & 1) !== 0) return true;
  }
  return false;
}

async function gatedSlug(program: RunningProgram, trial: Trial): Promise<string> {
  const { upload, json } = callsTo(program);
  const document = await upload(new Uint8Array(trial.random.bytes(100)));
  const fields = { document_id: document?.body.id, email_required: true };
  const link = await json('POST', '/api/v1/links', program.env.API_KEY, fields);
  return String(link?.body.url).split('/s/')[1] ?? '';
}
