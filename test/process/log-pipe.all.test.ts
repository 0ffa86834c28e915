// The log goes to a pipe that no process reads.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { itHoldsFor } from '../support/rule.ts';

const root = path.resolve(import.meta.dirname, '../..');

type Pipe = { readonly fd: number /** Reads the current content of the pipe. */; read(): string };

function makePipe(): Pipe {
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-test-'));
  const file = path.join(folder, 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const fd = openSync(file, constants.O_WRONLY);
  onTestFinished(() => {
    closeSync(reader);
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  const bytes = Buffer.alloc(1 << 20);
  return {
    fd,
    read() {
      try {
        return bytes.toString('utf8', 0, readSync(reader, bytes));
      } catch {
        return '';
      }
    },
  };
}

/** Starts a program whose standard output is a new pipe. */
function spawnWithPipe(words: readonly string[], env: Record<string, string> = {}) {
  const pipe = makePipe();
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', pipe.fd, 'pipe'],
  });
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { child, pipe, ended, stderr: () => stderr };
}

function startServer() {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return spawnWithPipe([path.join(root, 'dist/src/main.js'), 'serve'], {
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_HTTP_ADDRESS: '127.0.0.1:0',
    LATCHKEY_GRPC_ADDRESS: '127.0.0.1:0',
    LATCHKEY_OPS_ADDRESS: '127.0.0.1:0',
  });
}

itHoldsFor(['SIGTERM', 'SIGINT'] as const)('the program ends on each signal', async (signal) => {
  const { child, ended, stderr } = startServer();
  await expect.poll(stderr, { timeout: 20_000 }).toContain('operations');
  const [, url = ''] = /HTTP\/JSON and Connect +(\S+)/.exec(stderr()) ?? [];
  // The log lines of these requests fill the 64 KiB pipe twice.
  for (let i = 0; i < 40; i++) {
    const calls = Array.from({ length: 20 }, () => fetch(`${url}/${'x'.repeat(50)}`));
    await Promise.all(calls.map(async (call) => (await call).text()));
  }

  child.kill(signal);

  const late = new Promise((resolve) => setTimeout(() => resolve('still there'), 25_000).unref());
  expect(await Promise.race([ended, late])).toBe(0);
});

const lines = 400_000;

/** Logs 100 MB, reports how much its memory has grown, and ends when standard input closes. */
const writer = `
  const { createLog } = await import(${JSON.stringify(path.join(root, 'src/observe/log.ts'))});
  const opened = createLog({ level: 'info' });
  const rssBefore = process.memoryUsage().rss;
  const filler = 'x'.repeat(200);
  for (let i = 0; i < ${lines}; i++) {
    opened.log.info({ i, filler }, 'line');
    if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const growth = process.memoryUsage().rss - rssBefore;
  process.stderr.write(JSON.stringify({ growth }) + '\\n');
  process.stdin.resume().on('end', async () => {
    await opened.flush();
    process.exit(0);
  });`;

test('lines that cannot be written use little memory, and a later line counts them', async () => {
  const { child, pipe, ended, stderr } = spawnWithPipe([
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    writer,
  ]);
  await expect.poll(stderr, { timeout: 60_000 }).toContain('growth');
  const { growth } = JSON.parse(stderr());
  expect(growth / 1_000_000).toBeLessThan(70);

  let text = '';
  const reading = setInterval(() => {
    text += pipe.read();
  }, 1);
  onTestFinished(() => clearInterval(reading));
  const droppedLines = () =>
    [...text.matchAll(/"dropped_lines":(\d+)/g)].map(([, count]) => Number(count));
  const counted = () => text.split('\n').length - 2 + (droppedLines()[0] ?? Number.NaN);
  // Before the program ends, because its last flush does not wait for a slow reader.
  await expect.poll(counted, { timeout: 30_000 }).toBe(lines);
  child.stdin?.end();
  expect(await ended).toBe(0);

  text += pipe.read();
  expect(counted()).toBe(lines);
  expect(droppedLines()).toHaveLength(1);
  for (const line of text.trimEnd().split('\n')) JSON.parse(line);
}, 90_000);
