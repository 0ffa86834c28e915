// Calls while a PostgreSQL server restarts, and calls whose client goes away.
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from './support/harness.ts';
import { startPostgres } from './support/postgres.ts';
import { itHoldsFor } from './support/rule.ts';

type Answer = { readonly status: number; readonly retryAfter: string | null };

async function send(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

/** Reads, transactions and uploads, one after the other, until `isOver`. Notes the answers. */
async function load(
  { app, env }: TestApp,
  answers: Answer[],
  isOver: () => boolean,
): Promise<void> {
  const authorization = `Bearer ${env.API_KEY}`;
  const documents = `${app.publicUrl}/api/v1/documents`;
  while (!isOver()) {
    const form = new FormData();
    form.set('file', new Blob(['text']), 'a.txt');
    answers.push(await send(documents, { headers: { authorization } }));
    answers.push(await send(documents, { method: 'POST', headers: { authorization }, body: form }));
    answers.push(
      await send(`${app.publicUrl}/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `${answers.length}@example.com`, password: 'wrong' }),
      }),
    );
  }
}

describe('a PostgreSQL server that restarts under load', () => {
  itHoldsFor(['SIGINT', 'SIGQUIT'] as const)(
    'only makes calls unavailable for that time',
    async (signal) => {
      const postgres = await startPostgres();
      onTestFinished(() => postgres.stop());
      const databaseUrl = await postgres.createDatabase();
      const test = await startTestApp({ config: { databaseUrl } });
      onTestFinished(() => test.remove());
      let isOver = false;
      const answers: Answer[] = [];
      const loads = Array.from({ length: 12 }, () => load(test, answers, () => isOver));
      const numberOf = (status: number) => answers.filter((one) => one.status === status).length;

      // More than three restarts only if the machine was so slow that no call met one.
      for (let i = 0; i < 3 || numberOf(503) === 0; i++) {
        await new Promise((resolve) => setTimeout(resolve, 500));
        await postgres.restart(signal);
      }
      const before = numberOf(201);
      await expect.poll(() => numberOf(201), { timeout: 30_000 }).toBeGreaterThan(before);
      isOver = true;

      await Promise.all(loads);
      const counts = new Map<number, number>();
      for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
      expect([...counts.keys()].filter((one) => ![200, 201, 401, 429, 503].includes(one))).toEqual(
        [],
      );
      expect(counts.get(503)).toBeGreaterThan(0);
      expect(counts.get(201)).toBeGreaterThan(0);
      const unavailable = answers.filter(({ status }) => status === 503);
      expect(unavailable.filter(({ retryAfter }) => retryAfter === null)).toEqual([]);
      const lines = (await test.logText()).split('\n').filter((line) => line !== '');
      const codes = new Set(lines.map((line) => JSON.parse(line).code));
      expect(codes).not.toContain('internal');
    },
  );
});

describe('a client that disconnects during its request', () => {
  itHoldsFor(['/tokens', '/api/v1/documents'])(
    'is logged as canceled, not as an outage of the database',
    async (url) => {
      const test = await startTestApp();
      onTestFinished(() => test.remove());
      const { hostname, port } = new URL(test.app.publicUrl);
      const type = url === '/tokens' ? 'application/json' : 'multipart/form-data; boundary=b';
      const head = [
        `POST ${url} HTTP/1.1`,
        'Host: latchkey.test',
        `Authorization: Bearer ${test.env.API_KEY}`,
        `Content-Type: ${type}`,
        'Content-Length: 5000',
        'X-Request-Id: gone',
        'Expect: 100-continue',
        '',
        '--b',
        'Content-Disposition: form-data; name="file"; filename="a.txt"',
        '',
        'text',
      ];
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(head.join('\r\n'));
      // The server answers `100 Continue` when it begins to read the body.
      await once(socket, 'data');
      socket.resetAndDestroy();

      const findLine = async () =>
        (await test.logText()).split('\n').find((line) => line.includes('"request_id":"gone"'));
      await expect.poll(findLine).toBeDefined();
      expect(JSON.parse((await findLine()) ?? '')).toMatchObject({ level: 30, code: 'canceled' });
    },
  );
});
