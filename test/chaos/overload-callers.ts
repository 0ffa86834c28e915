// A process with many connections, each of which sends its next request after the last answer.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type OverloadJob = {
  readonly url: string;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
};

export type OverloadCounts = {
  /** Answers with 200, and all others. */
  readonly served: number;
  readonly failed: number;
};

process.once('message', (job: OverloadJob) => void run(job));

async function run({ url, body, connections, seconds }: OverloadJob): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const head =
    `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const request = Buffer.from(head + body);
  const counts = { served: 0, failed: 0 };
  let answered = 0;
  for (let i = 0; i < connections; i++) {
    const socket = connect({ port: Number(port), host: hostname, noDelay: true });
    let isFirst = true;
    socket.on('error', () => {
      counts.failed += 1;
    });
    // A token fits into one segment of the loopback interface.
    socket.on('data', (bytes) => {
      if (isFirst) answered += 1;
      isFirst = false;
      if (bytes.subarray(0, 12).equals(okStart)) counts.served += 1;
      else counts.failed += 1;
      socket.write(request);
    });
    socket.once('connect', () => socket.write(request));
  }
  const lastTime = performance.now() + 10_000;
  while (answered < connections && performance.now() < lastTime) await sleep(20);
  process.send?.('connected');
  const before = { ...counts };
  await sleep(seconds * 1000);
  const served = counts.served - before.served;
  process.send?.({ served, failed: counts.failed } satisfies OverloadCounts, () => process.exit());
}

const okStart = Buffer.from('HTTP/1.1 200');
