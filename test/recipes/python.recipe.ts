// The Python program of docs/clients.md, with python3-grpcio from Debian.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../support/harness.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
// Debian's Python, which has Debian's packages. The PATH may have another one.
const python = '/usr/bin/python3';

it('the Python program verifies a token, uploads, creates a link and reads an error', async () => {
  await run(python, ['-c', 'import grpc, google.protobuf']).catch((cause) => {
    throw new Error('missing packages: apt-get install python3-grpcio', { cause });
  });
  const document = await readFile(path.join(root, 'docs/clients.md'), 'utf8');
  const [, program = ''] = /```python\n([\s\S]*?)```/.exec(document) ?? [];
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-python-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const testApp = await startTestApp();
  onTestFinished(() => testApp.remove());
  const file = path.join(folder, 'share.py');
  await writeFile(file, program);
  const env = {
    PATH: process.env.PATH ?? '',
    LATCHKEY_IMAGE: path.join(root, 'gen/latchkey.binpb'),
    ...testApp.env,
  };

  const { stdout } = await run(python, [file], { env });

  expect(stdout.split('\n')).toEqual([
    'active: True',
    'type: text/markdown',
    expect.stringMatching(/^link: http:.*\/s\/\w{22}$/),
    'error: NOT_FOUND not_found',
    '',
  ]);
});
