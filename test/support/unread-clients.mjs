// Clients over HTTP/2 that never read: with a window of zero, each opens as many streams as it may,
// and later another one for each that the server resets. Runs as a child process, so that its work
// does not slow down the client that is measured. Prints its counts as JSON every second.
import { connect } from 'node:tls';

/**
 * @typedef {{ path: string, headers: Record<string, string>, body?: string }} Target
 * @type {{
 *   port: number,
 *   address: string,
 *   connections: number,
 *   connectMs: number,
 *   streams: number,
 *   againMax: number,
 *   targets: Target[],
 * }}
 */
const { port, address, connections, connectMs, streams, againMax, targets } = JSON.parse(
  process.argv[2],
);

const counts = { open: 0, opened: 0, ended: 0, refused: 0, closed: 0 };
const empty = Buffer.alloc(0);

function frame(type, flags, stream, payload) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A string without Huffman coding (RFC 7541 §5.2). */
function text(value) {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

function request(stream, { path, headers, body }) {
  const fields = {
    ':method': body === undefined ? 'GET' : 'POST',
    ':scheme': 'https',
    ':path': path,
    ':authority': 'localhost',
    ...headers,
  };
  const block = Object.entries(fields).map(([name, value]) =>
    Buffer.concat([Buffer.from([0]), text(name), text(value)]),
  );
  const head = frame(1, body === undefined ? 5 : 4, stream, Buffer.concat(block));
  return body === undefined
    ? head
    : Buffer.concat([head, frame(0, 1, stream, Buffer.from(body, 'base64'))]);
}

function start(number) {
  const socket = connect({
    port,
    host: '127.0.0.1',
    localAddress: address,
    ALPNProtocols: ['h2'],
    rejectUnauthorized: false,
  });
  let received = empty;
  let next = 1;
  let again = 0;
  const open = () => {
    const target = targets[(number + (next >> 1)) % targets.length];
    socket.write(request(next, target));
    next += 2;
    counts.open++;
    counts.opened++;
  };
  socket.once('secureConnect', () => {
    // SETTINGS_INITIAL_WINDOW_SIZE is 0 (RFC 9113 §6.5.2).
    const settings = frame(4, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings]));
    for (let i = 0; i < streams; i++) open();
  });
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    for (;;) {
      if (received.length < 9) return;
      const length = received.readUIntBE(0, 3);
      if (received.length < 9 + length) return;
      const [type, flags] = [received[3], received[4]];
      if (type === 4 && (flags & 1) === 0) socket.write(frame(4, 1, 0, empty));
      if (type === 6 && (flags & 1) === 0) socket.write(frame(6, 1, 0, received.subarray(9, 17)));
      if (type === 3 || (type <= 1 && (flags & 1) !== 0)) {
        counts.open--;
        counts[type === 3 ? 'ended' : 'refused']++;
        if (type === 3 && again++ < againMax) setTimeout(open, 2_000 + Math.random() * 6_000);
      }
      received = received.subarray(9 + length);
    }
  });
  socket.on('error', () => {});
  socket.on('close', () => counts.closed++);
}

for (let i = 0; i < connections; i++) setTimeout(start, i * connectMs, i);
setInterval(() => process.stdout.write(`${JSON.stringify(counts)}\n`), 1_000);
