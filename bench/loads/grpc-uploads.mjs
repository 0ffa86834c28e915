// A load generator for gRPC client streams. It sends prepared frames with node:http2.
import { connect } from 'node:http2';
import { decode, encode, frame, pathOf } from './grpc.mjs';
import { roundOf } from './uploads.mjs';

const chunkBytes = 64 * 1024;

/** Works like `sendRequests`. `isGood` checks the message of a response. */
export async function sendStreams({ port, connections, seconds, method, file, headers, isGood }) {
  const body = Buffer.concat(
    Array.from({ length: Math.ceil(file.length / chunkBytes) }, (_, i) =>
      frame(encode(method, { file: file.subarray(i * chunkBytes, (i + 1) * chunkBytes) })),
    ),
  );
  const started = performance.now();
  const deadline = started + seconds * 1000;
  const latencies = [];
  let errors = 0;

  async function work() {
    const session = connect(`http://127.0.0.1:${port}`);
    session.on('error', () => {});
    do {
      const sent = performance.now();
      const answer = await send(session, method, headers, body).catch(() => undefined);
      const message = answer && decode(method, answer.subarray(5));
      if (message !== undefined && isGood(message)) latencies.push(performance.now() - sent);
      else errors++;
    } while (performance.now() < deadline && !session.closed);
    session.close();
  }
  await Promise.all(Array.from({ length: connections }, work));
  return roundOf(latencies, errors, started);
}

/** Resolves to the frame of the response message. */
function send(session, method, headers, body) {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ':method': 'POST',
      ':path': pathOf(method),
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    const chunks = [];
    let status;
    const readHeaders = (fields) => {
      status = fields['grpc-status'] ?? status;
    };
    stream.on('response', readHeaders);
    stream.on('trailers', readHeaders);
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.once('error', reject);
    stream.once('close', () => {
      if (status === '0') resolve(Buffer.concat(chunks));
      else reject(new Error(`gRPC answered with status ${status}`));
    });
    stream.end(body);
  });
}
