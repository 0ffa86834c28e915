// The program and the configuration of HAProxy of the guide, with haproxy from Debian.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startTestApp } from '../support/harness.ts';
import { addSigningAudience } from '../support/signing-audiences.ts';
import { openTransports } from '../support/transports.ts';

const run = promisify(execFile);
const guide = path.resolve(import.meta.dirname, '../../docs/guides/one-token-per-service.md');

it('HAProxy accepts only tokens of its audience, with RS256 and the scope', async () => {
  await run('haproxy', ['-v']).catch((cause) => {
    throw new Error('missing package: apt-get install haproxy', { cause });
  });
  const text = await readFile(guide, 'utf8');
  const blockOf = (language: string) =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? '';
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-haproxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const testApp = await startTestApp();
  onTestFinished(() => testApp.remove());
  const { app } = testApp;
  const [transport] = openTransports(app);
  if (transport === undefined) throw new Error('there are no transports');
  const audience = await addSigningAudience(app, transport, 'RS256');
  const other = await addSigningAudience(app, transport, 'RS256');
  const edwards = await addSigningAudience(app, transport, 'EdDSA');

  const program = path.join(folder, 'write-keys.mjs');
  await writeFile(program, blockOf('js'));
  const env = { PATH: process.env.PATH ?? '', LATCHKEY_BASE_URL: app.publicUrl };
  await run(process.execPath, [program, folder], { env });
  const [key = ''] = (await readdir(folder)).filter((name) => name.endsWith('.pem'));

  const port = await freePort();
  const reply = "http-request return content-type text/plain lf-string '%[req.hdr(X-Client)]'";
  const frontend = blockOf('haproxy')
    .replace('127.0.0.1:8443', `127.0.0.1:${port}`)
    .replace('/etc/haproxy/latchkey/KID.pem', path.join(folder, key))
    .replace('https://latchkey.example.com', app.publicUrl)
    .replace('https://ledger.example.com', audience.identifier)
    .replace('default_backend ledger', reply);
  const file = path.join(folder, 'haproxy.cfg');
  const defaults = 'defaults\n  mode http\n  timeout client 5s\n  timeout server 5s\n';
  await writeFile(file, `${defaults}  timeout connect 5s\n\n${frontend}`);
  const haproxy = spawn('haproxy', ['-db', '-f', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(async () => {
    haproxy.kill();
    await once(haproxy, 'exit');
  });

  const ask = async (token?: string) => {
    const headers: Record<string, string> =
      token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers });
    return [response.status, response.status === 200 ? await response.text() : ''];
  };
  await expect.poll(() => ask().catch(() => [])).toEqual([401, '']);
  const token = await audience.issue();
  expect(await ask(token)).toEqual([200, decodeJwt(token).sub]);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  const { signer } = app.inside;
  const sign = (scope: string, seconds: number) => {
    const claims = { sub: audience.clientId, client_id: audience.clientId, scope };
    const constants = JSON.stringify({ iss: app.publicUrl, aud: audience.identifier }).slice(1, -1);
    const signed = { audience: { constants, signingAlg: 'RS256' as const } };
    return signer.sign({ ...claims, principal_type: 'service' }, seconds, signed);
  };
  for (const refused of [
    await other.issue(),
    await edwards.issue(),
    `${header}.${payload}.${signature.replace(/^../, 'AA')}`,
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
    (await sign('payments:read', 0)).token,
    'x.y.z',
  ]) {
    expect(await ask(refused), refused).toEqual([401, '']);
  }
  for (const scope of ['payments:write', 'xpayments:read', 'payments:readx', '']) {
    expect(await ask((await sign(scope, 60)).token), scope).toEqual([403, '']);
  }
  const [status] = await ask((await sign('a:read payments:read', 60)).token);
  expect(status).toBe(200);
  transport.close();
});
