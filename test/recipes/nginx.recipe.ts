// The configuration of nginx of docs/operations.md, with nginx from Debian.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { unaryBodyBytesMax } from '../../src/api/body-budget.ts';
import { freePort } from '../support/free-port.ts';
import { startTestApp } from '../support/harness.ts';
import { allMethods, callMethod } from '../support/method-calls.ts';

const guide = path.resolve(import.meta.dirname, '../../docs/operations.md');
const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

it('nginx passes large uploads on, and refuses other large bodies', async () => {
  await promisify(execFile)('dpkg', ['--status', 'nginx-light']).catch((cause) => {
    throw new Error('missing package: apt-get install nginx-light', { cause });
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-nginx-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const testApp = await startTestApp();
  onTestFinished(() => testApp.remove());
  const port = await freePort();
  const text = await readFile(guide, 'utf8');
  const site = (/```nginx\n([\s\S]*?)```/.exec(text)?.[1] ?? '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace('server 127.0.0.1:8080', `server ${new URL(testApp.app.publicUrl).host}`);
  const configuration = path.join(folder, 'nginx.conf');
  await writeFile(
    configuration,
    [
      ...['daemon off;', `pid ${folder}/pid;`, 'error_log /dev/null;', 'events {}'],
      ...['http {', 'access_log off;'],
      ...folders.map((name) => `${name}_temp_path ${folder}/${name};`),
      ...[site, '}', ''],
    ].join('\n'),
  );
  const nginx = spawn('/usr/sbin/nginx', ['-c', configuration], { stdio: 'inherit' });
  onTestFinished(async () => {
    nginx.kill();
    await once(nginx, 'exit');
  });

  const behind = { ...testApp.app, publicUrl: `http://127.0.0.1:${port}` };
  await expect
    .poll(() =>
      fetch(behind.publicUrl).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  const authorization = `Bearer ${testApp.env.API_KEY}`;
  const file = Buffer.alloc(2 * unaryBodyBytesMax);
  const outcomes = new Map<string, string>();
  for (const method of allMethods.filter((one) => one.methodKind === 'client_streaming')) {
    for (const transport of ['http', 'connect'] as const) {
      const call = { method, authorization, rest: { file } };
      const { code } = await callMethod(behind, transport, call);
      outcomes.set(`${transport} ${method.name}`, code);
    }
  }
  expect(Object.fromEntries(outcomes)).toEqual({
    'http UploadDocument': 'ok',
    'connect UploadDocument': 'ok',
    'http UploadVersion': 'not_found',
    'connect UploadVersion': 'not_found',
    'http PutWorkspaceLogo': 'unauthenticated',
    'connect PutWorkspaceLogo': 'unauthenticated',
  });
  const others = ['api/v1/links', 'latchkey.sharing.v1.WorkspaceService/PutMember'];
  for (const other of others) {
    const { status } = await fetch(`${behind.publicUrl}/${other}`, { method: 'POST', body: file });
    expect([other, status]).toEqual([other, 413]);
  }
});
