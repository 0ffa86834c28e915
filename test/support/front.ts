// A server in front of the app, which counts requests, and answers some of them itself.
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

export type Front = {
  readonly url: string;
  /** All requests so far, with the path and the headers. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  countOf(path: string): number;
  /** Answers the next requests whose path ends in `path` with these, in order. */
  answer(path: string, ...answers: readonly Answer[]): void;
  close(): void;
};

export async function startFront(target: string): Promise<Front> {
  const planned: { path: string; answer: Answer }[] = [];
  const requests: Front['requests'] = [];
  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    requests.push({ path: url, headers });
    const at = planned.findIndex(({ path }) => url.endsWith(path));
    const [own] = at === -1 ? [] : planned.splice(at, 1);
    if (own !== undefined) {
      // A server that refuses a request may still have to receive it.
      incoming.resume().on('end', () => {
        outgoing.writeHead(own.answer.status, own.answer.headers).end();
      });
      return;
    }
    const forwarded = request(new URL(url, target), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.on('close', () => {
      if (!incoming.complete) forwarded.destroy();
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    countOf: (path) => requests.filter((one) => one.path.endsWith(path)).length,
    answer(path, ...answers) {
      planned.push(...answers.map((answer) => ({ path, answer })));
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
