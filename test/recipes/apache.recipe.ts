// Apache with mod_oauth2 from Debian verifies tokens with the published keys.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startTestApp } from '../support/harness.ts';
import { addSigningAudience } from '../support/signing-audiences.ts';
import { openTransports } from '../support/transports.ts';

const packages = 'apache2-bin libapache2-mod-oauth2';
const modules = ['mpm_event', 'authn_core', 'authz_core', 'oauth2'];

it('Apache accepts only tokens of its audience, with RS256 and the scope', async () => {
  await promisify(execFile)('dpkg', ['--status', ...packages.split(' ')]).catch((cause) => {
    throw new Error(`missing packages: apt-get install ${packages}`, { cause });
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-apache-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // Apache reads the files as another user.
  await chmod(folder, 0o755);
  await writeFile(path.join(folder, 'index.txt'), 'ok');
  const testApp = await startTestApp();
  onTestFinished(() => testApp.remove());
  const { app } = testApp;
  const [transport] = openTransports(app);
  if (transport === undefined) throw new Error('there are no transports');
  onTestFinished(() => transport.close());
  const audience = await addSigningAudience(app, transport, 'RS256');
  const other = await addSigningAudience(app, transport, 'RS256');
  const edwards = await addSigningAudience(app, transport, 'EdDSA');

  const port = await freePort();
  const file = path.join(folder, 'apache.conf');
  await writeFile(
    file,
    [
      ...[`ServerRoot ${folder}`, `DocumentRoot ${folder}`, `PidFile ${folder}/pid`],
      ...['ServerName localhost', `Listen 127.0.0.1:${port}`, 'ErrorLog /dev/null'],
      ...['User nobody', 'Group nogroup'],
      ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
      `OAuth2TokenVerify jwks_uri ${app.publicUrl}/.well-known/jwks.json verify.exp=required`,
      '<Location />',
      '  AuthType oauth2',
      '  <RequireAll>',
      `    Require oauth2_claim iss:${app.publicUrl}`,
      `    Require oauth2_claim aud:${audience.identifier}`,
      // Debian's mod_oauth2 has no regular expressions, so that this is the whole scope.
      '    Require oauth2_claim scope:payments:read',
      '  </RequireAll>',
      '</Location>',
      '',
    ].join('\n'),
  );
  const apache = spawn('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(async () => {
    apache.kill();
    await once(apache, 'exit');
  });

  const ask = async (token?: string) => {
    const headers: Record<string, string> =
      token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`http://127.0.0.1:${port}/index.txt`, { headers })).status;
  };
  await expect.poll(() => ask().catch(() => 0)).toBe(401);
  const token = await audience.issue();
  expect(await ask(token)).toBe(200);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
  const claims = { sub: audience.clientId, client_id: audience.clientId };
  const constants = JSON.stringify({ iss: app.publicUrl, aud: audience.identifier }).slice(1, -1);
  const signed = { audience: { constants, signingAlg: 'RS256' as const } };
  const sign = async (scope: string, seconds: number) => {
    const service = { ...claims, scope, principal_type: 'service' as const };
    return (await app.inside.signer.sign(service, seconds, signed)).token;
  };
  for (const refused of [
    await other.issue(),
    await edwards.issue(),
    `${header}.${payload}.${signature.replace(/^../, 'AA')}`,
    `${none}.${payload}.`,
    await sign('payments:write', 60),
    await sign('xpayments:read', 60),
    await sign('payments:read', -60),
    'x.y.z',
  ]) {
    expect(await ask(refused), refused).toBe(401);
  }
  expect(await ask(await sign('payments:read', 60))).toBe(200);
});
