// A gRPC load generator for different messages, which h2load does not support. It writes and reads
// HTTP/2 frames itself to need little processor time.
import { connect } from 'node:net';
import { connections, frame, streams } from './grpc.mjs';

const types = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 };
const flags = { ack: 1, endStream: 1, endHeaders: 4 };
const windowMax = 2 ** 31 - 1;

/**
 * Sends `messages` until all are sent or the time is over. Resolves to the result; `answers` are
 * the frames of the response messages.
 */
export async function sendAll({ port, path, authorization, messages, seconds = 3600 }) {
  const started = performance.now();
  const work = {
    messages,
    next: 0,
    deadline: started + seconds * 1000,
    answers: [],
    latencies: [],
    errors: 0,
  };
  const block = headerBlocks({ path, authorization });
  await Promise.all(Array.from({ length: connections }, () => converse(port, block, work)));
  const { answers, errors } = work;
  const latencies = Float64Array.from(work.latencies).sort();
  return { answers, errors, latencies, seconds: (performance.now() - started) / 1000 };
}

/** Runs one connection from its first request to its last response. */
function converse(port, block, work) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const open = new Map();
    let streamId = 1;
    let left = Buffer.alloc(0);
    let out = [];

    function request() {
      if (work.next >= work.messages.length || performance.now() >= work.deadline) return;
      const body = frame(work.messages[work.next++]);
      const header = streamId === 1 ? block.first : block.later;
      out.push(frameOf(types.headers, flags.endHeaders, streamId, header));
      out.push(frameOf(types.data, flags.endStream, streamId, body));
      open.set(streamId, { sent: performance.now(), answer: undefined });
      streamId += 2;
    }
    function flush() {
      if (out.length > 0) socket.write(Buffer.concat(out));
      out = [];
      if (open.size === 0) socket.end(() => resolve());
    }
    function take({ type, flag, id, payload }) {
      const call = open.get(id);
      if (type === types.settings && flag !== flags.ack) {
        out.push(frameOf(types.settings, flags.ack, 0));
      } else if (type === types.ping && flag !== flags.ack) {
        out.push(frameOf(types.ping, flags.ack, 0, payload));
      } else if (type === types.goAway) {
        reject(new Error('the server ended the connection'));
      } else if (call !== undefined) {
        if (type === types.data) call.answer = append(call.answer, payload);
        const ended = (flag & flags.endStream) !== 0 && type <= types.headers;
        if (!ended && type !== types.reset) return;
        open.delete(id);
        work.latencies.push(performance.now() - call.sent);
        // A gRPC error has no message.
        if (call.answer === undefined) work.errors++;
        else work.answers.push(call.answer);
        request();
      }
    }

    socket.once('error', reject);
    socket.on('data', (chunk) => {
      left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
      for (let next = readFrame(left); next !== undefined; next = readFrame(left)) {
        left = next.rest;
        take(next);
      }
      flush();
    });
    out.push(preface());
    for (let i = 0; i < streams; i++) request();
    flush();
  });
}

const append = (before, bytes) =>
  before === undefined ? Buffer.from(bytes) : Buffer.concat([before, bytes]);

function readFrame(bytes) {
  if (bytes.length < 9) return undefined;
  const end = 9 + bytes.readUIntBE(0, 3);
  if (bytes.length < end) return undefined;
  return {
    type: bytes[3],
    flag: bytes[4],
    id: bytes.readUInt32BE(5),
    payload: bytes.subarray(9, end),
    rest: bytes.subarray(end),
  };
}

function frameOf(type, flag, id, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flag;
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, payload]);
}

/** The maximum windows, so that no response waits for flow control. */
function preface() {
  const settings = Buffer.alloc(6);
  settings.writeUInt16BE(4, 0); // SETTINGS_INITIAL_WINDOW_SIZE
  settings.writeUInt32BE(windowMax, 2);
  const update = Buffer.alloc(4);
  update.writeUInt32BE(windowMax - 65_535, 0);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frameOf(types.settings, 0, 0, settings),
    frameOf(types.windowUpdate, 0, 0, update),
  ]);
}

/** HPACK (RFC 7541): the first request contains the headers; later ones refer to them by index. */
function headerBlocks({ path, authorization }) {
  const headers = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', '127.0.0.1'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...(authorization === undefined ? [] : [['authorization', authorization]]),
  ];
  const literals = headers.flatMap(([name, value]) => [
    Buffer.from([0x40]),
    text(name),
    text(value),
  ]);
  // Indices of the dynamic table start at 62, newest entry first.
  const indices = headers.map((_, i) => 0x80 | (62 + headers.length - 1 - i));
  return { first: Buffer.concat(literals), later: Buffer.from(indices) };
}

function text(value) {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}
