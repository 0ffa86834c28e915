// A DNS server on a free port of the loopback network, which answers questions for TXT records.
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

const serverFailure = 2;
const nameError = 3;

export type DnsServer = {
  /** For `dns.setServers`. */
  readonly address: string;
  /** The texts by name. A name without an entry does not exist. */
  readonly records: Map<string, readonly string[]>;
  /** Whether every answer is a failure of the server. */
  fails: boolean;
  close(): Promise<void>;
};

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    fails: false,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (query: Buffer, { address, port }: RemoteInfo) => {
    const texts = server.records.get(nameIn(query));
    const code = server.fails ? serverFailure : texts === undefined ? nameError : 0;
    socket.send(answerTo(query, code, code === 0 ? (texts ?? []) : []), port, address);
  });
  return server;
}

const headBytes = 12;

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = headBytes; query[at] !== 0; at += 1 + (query[at] ?? 0)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  }
  return labels.join('.').toLowerCase();
}

/** Copies the id and the question of the query (RFC 1035 §4.1). */
function answerTo(query: Buffer, code: number, texts: readonly string[]): Buffer {
  const questionEnd = query.indexOf(0, headBytes) + 5;
  const head = Buffer.alloc(headBytes);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(texts.length, 6);
  const answers = texts.map((text) => {
    // A pointer to the name of the question, the type TXT, the class IN, and no time to live.
    const fixed = Buffer.from([0xc0, headBytes, 0, 16, 0, 1, 0, 0, 0, 0]);
    const length = Buffer.from([0, text.length + 1, text.length]);
    return Buffer.concat([fixed, length, Buffer.from(text)]);
  });
  return Buffer.concat([head, query.subarray(headBytes, questionEnd), ...answers]);
}
