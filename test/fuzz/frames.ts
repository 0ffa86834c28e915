// Fuzzes the gRPC listener: connections with mutated HTTP/2 frames, and calls with mutated
// messages.
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { flags, frame, headerBlock, http2Preface, types } from '../support/http2-frames.ts';
import { type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { encodeText, envelope } from './requests.ts';
import { startTarget, type Target } from './target.ts';
import { undeclaredCompression } from './undeclared-compression.ts';
import { methods, mutate, oddText, wireMessage } from './values.ts';

const framesPerConnection = 20;
const lanes = 16;
const callMs = 10_000;

export const framesChecks: readonly Check[] = [
  { name: 'mutated HTTP/2 frames', secondsMax: [180, 500], run: fuzzFrames },
  { name: 'gRPC calls with mutated messages', secondsMax: [60, 400], run: fuzzMessages },
];

async function fuzzFrames(trial: Trial): Promise<void> {
  const target = await startTarget(trial);
  await sendFrames(trial, target, 50);
  const before = await target.quiet();
  const connections = trial.isShort ? 150 : 2_500;
  await sendFrames(trial, target, connections);
  await target.expectUnharmed(before);
  trial.figure('frames', connections * framesPerConnection);
}

async function sendFrames(trial: Trial, target: Target, connections: number): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < connections) {
        const random = seededRandom(trial.seed + next++);
        await target.keep();
        await converse(target, random);
      }
    }),
  );
}

/**
 * Sends frames until the service closes the connection or all are sent; then closes or half-closes
 * it.
 */
async function converse(target: Target, random: SeededRandom): Promise<void> {
  const socket = connect({ port: target.grpcPort, host: '127.0.0.1' });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => {}).resume();
  socket.write(random.chance(0.95) ? http2Preface : mutate(http2Preface, random));
  if (random.chance(0.95)) socket.write(frame(types.settings, 0, 0));
  for (let i = 0; i < framesPerConnection; i++) {
    socket.write(oddFrame(target, random));
    if (random.chance(0.3)) await sleep(1);
  }
  if (random.chance(0.5)) socket.end();
  await Promise.race([closed, sleep(30)]);
  if (random.chance(0.5)) socket.resetAndDestroy();
  else socket.destroy();
}

function oddFrame(target: Target, random: SeededRandom): Buffer {
  const bytes = likelyFrame(target, random);
  return random.chance(0.85) ? bytes : mutate(bytes, random);
}

function likelyFrame(target: Target, random: SeededRandom): Buffer {
  const stream = random.chance(0.9) ? 1 + 2 * random.below(8) : random.below(2 ** 31);
  const flag = random.chance(0.8) ? random.pick([0, 1, 4, 5]) : random.below(256);
  const method = random.pick(methods);
  switch (random.pick(Object.keys(types))) {
    case 'data': {
      const message = wireMessage(method.input, random, target.ids);
      return frame(types.data, flag, stream, envelope(message, random));
    }
    case 'headers':
    case 'continuation': {
      const credential = target.credential(random);
      const block = headerBlock(`/${method.parent.typeName}/${method.name}`, {
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(random.chance(0.1) ? { [random.pick(['', 'A', ':path', 'te'])]: 'x' } : {}),
        ...(random.chance(0.1) ? { 'grpc-timeout': random.pick(['1n', '0S', 'x']) } : {}),
        ...(random.chance(0.1) ? { 'grpc-encoding': random.pick(['gzip', 'x']) } : {}),
      });
      return frame(types.headers, flags.endHeaders | (flag & flags.endStream), stream, block);
    }
    case 'settings':
      return frame(types.settings, flag & 1, 0, random.bytes(6 * random.below(4)));
    case 'ping':
      return frame(types.ping, flag & 1, 0, random.bytes(8));
    case 'windowUpdate':
      return frame(types.windowUpdate, 0, random.pick([0, stream]), random.bytes(4));
    case 'reset':
      return frame(types.reset, 0, stream, random.bytes(4));
    case 'priority':
      return frame(types.priority, 0, stream, random.bytes(5));
    default:
      return frame(random.below(16), flag, stream, random.bytes(random.below(60)));
  }
}

async function fuzzMessages(trial: Trial): Promise<void> {
  const target = await startTarget(trial);
  const statuses = new Map<string, number>();
  await sendCalls(trial, target, 1_000, new Map());
  const before = await target.quiet();
  const count = trial.isShort ? 3_000 : 50_000;
  await sendCalls(trial, target, count, statuses);
  await target.expectUnharmed(before);
  trial.figure('calls', count);
  const answers = [...statuses].sort().map(([status, number]) => `${number}×${status}`);
  trial.figure('answers', answers.join(' '));
}

async function sendCalls(
  trial: Trial,
  target: Target,
  count: number,
  statuses: Map<string, number>,
): Promise<void> {
  let next = 0;
  async function lane(): Promise<void> {
    let session: ClientHttp2Session | undefined;
    while (next < count) {
      const random = seededRandom(trial.seed + next++);
      await target.keep();
      if (session === undefined || session.destroyed || session.closed) {
        session = connectHttp2(`http://127.0.0.1:${target.grpcPort}`).on('error', () => {});
      }
      const call = oddCall(target, random);
      const { status, message } = await callOnce(session, call);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const input = `${call.headers[':path']} ${call.body.toString('base64')}`;
      if (status === 'late') trial.fail(`no answer in ${callMs} ms`, input);
      const isExpected =
        !('grpc-encoding' in call.headers) && message.includes(undeclaredCompression);
      // INTERNAL and UNKNOWN.
      if (status === '2' || (status === '13' && !isExpected)) {
        trial.fail(`status ${status}: ${message}`, input);
      }
    }
    session?.destroy();
  }
  await Promise.all(Array.from({ length: lanes }, lane));
}

type GrpcCall = { readonly headers: Record<string, string>; readonly body: Buffer };

function oddCall(target: Target, random: SeededRandom): GrpcCall {
  const method = random.pick(methods);
  const credential = target.credential(random);
  const body = envelope(wireMessage(method.input, random, target.ids), random);
  return {
    headers: {
      ':method': 'POST',
      ':path': `/${method.parent.typeName}/${method.name}${random.chance(0.01) ? 'X' : ''}`,
      'content-type': random.chance(0.98) ? 'application/grpc' : 'application/json',
      te: 'trailers',
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(random.chance(0.05) ? { 'grpc-timeout': random.pick(['1n', '0S', '5m', 'x']) } : {}),
      ...(random.chance(0.1) ? { 'grpc-encoding': random.pick(['gzip', 'deflate', 'x']) } : {}),
      ...(random.chance(0.1) ? { 'x-request-id': encodeText(oddText(random)) } : {}),
    },
    body: random.chance(0.9) ? body : mutate(body, random),
  };
}

async function callOnce(session: ClientHttp2Session, { headers, body }: GrpcCall) {
  return new Promise<{ status: string; message: string }>((resolve) => {
    const stream = session.request(headers);
    let status = 'reset';
    let message = '';
    const late = setTimeout(() => {
      status = 'late';
      stream.close(constants.NGHTTP2_CANCEL);
    }, callMs);
    function read(fields: Record<string, unknown>): void {
      if (fields['grpc-status'] === undefined) return;
      status = String(fields['grpc-status']);
      message = decodeURIComponent(String(fields['grpc-message'] ?? ''));
    }
    stream
      .on('response', read)
      .on('trailers', read)
      .on('error', () => {});
    stream.on('close', () => {
      clearTimeout(late);
      resolve({ status, message });
    });
    stream.resume();
    stream.end(body);
  });
}
