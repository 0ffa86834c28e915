// A load generator for uploads of any size. It writes HTTP/1.1 to plain sockets. All requests share
// one buffer, so that it needs little processor time and memory.
import { connect } from 'node:net';
import { percentile } from './grpc.mjs';

/**
 * Sends requests one after another on each connection. Waits for all requests that started within
 * `seconds`, so that large files count. `requestOf(n)` returns the buffers of the n-th request.
 * `isGood(answer, n)` checks a response `{status, head, body}`.
 */
export async function sendRequests({ port, connections, seconds, requestOf, isGood }) {
  const started = performance.now();
  const deadline = started + seconds * 1000;
  const latencies = [];
  let next = 0;
  let errors = 0;

  async function work() {
    let connection = await open(port);
    do {
      const n = next++;
      const sent = performance.now();
      const answer = await connection.send(requestOf(n)).catch(() => undefined);
      if (answer !== undefined && isGood(answer, n)) latencies.push(performance.now() - sent);
      else errors++;
      if (answer === undefined) connection = await open(port);
    } while (performance.now() < deadline);
    connection.end();
  }
  await Promise.all(Array.from({ length: connections }, work));
  return roundOf(latencies, errors, started);
}

/** The result of a round that began at `started`. */
export function roundOf(latencies, errors, started) {
  const sorted = Float64Array.from(latencies).sort();
  return {
    requests: sorted.length,
    requestsPerSecond: sorted.length / ((performance.now() - started) / 1000),
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    errors,
  };
}

function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let waiting;
    let got = '';
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      got += text;
      const answer = readAnswer(got);
      if (answer === undefined) return;
      got = '';
      waiting?.resolve(answer);
    });
    const failed = (error = new Error('the server closed the connection')) => {
      reject(error);
      waiting?.reject(error);
    };
    socket.once('error', failed);
    socket.once('close', () => failed());
    socket.once('connect', () =>
      resolve({
        send(buffers) {
          socket.cork();
          for (const buffer of buffers) socket.write(buffer);
          socket.uncork();
          return new Promise((resolve, reject) => {
            waiting = { resolve, reject };
          });
        },
        end: () => socket.end(),
      }),
    );
  });
}

/** Parses a response. Returns undefined while it is incomplete. */
function readAnswer(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const body = text.slice(end + 4);
  return body.length < length ? undefined : { status: Number(head.slice(9, 12)), head, body };
}
