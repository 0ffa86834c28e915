// OAuth libraries of other languages, from Debian: Authlib, x/oauth2 with go-jose, and ruby-jwt.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { addClientKey, jwkOf, keyPairs } from '../support/client-keys.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { addClient } from '../support/owner-rows.ts';
import { addSigningAudience } from '../support/signing-audiences.ts';
import { openTransports } from '../support/transports.ts';

const run = promisify(execFile);
const programs = path.join(import.meta.dirname, 'programs');

async function requirePackages(names: string): Promise<void> {
  await run('dpkg', ['--status', ...names.split(' ')]).catch((cause) => {
    throw new Error(`missing packages: apt-get install ${names}`, { cause });
  });
}

let testApp: TestApp;
/** A client with a secret and with a key for ES256. */
let env: Record<string, string>;
beforeAll(async () => {
  testApp = await startTestApp();
  const { publicUrl, inside } = testApp.app;
  const { ownerId, text } = await addClient(inside.db, 'audit:read');
  const { privateKey, publicKey } = keyPairs.ES256();
  await addClientKey(inside.db, ownerId, jwkOf({ publicKey }));
  env = {
    ...{ PATH: process.env.PATH ?? '', ISSUER: publicUrl, SCOPE: 'audit:read' },
    ...{ CLIENT_ID: ownerId, CLIENT_SECRET: text },
    PRIVATE_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    PRIVATE_JWK: JSON.stringify(privateKey.export({ format: 'jwk' })),
  };
});
afterAll(() => testApp?.remove());

it('Authlib gets, verifies, introspects and revokes tokens', async () => {
  await requirePackages('python3-authlib python3-requests');
  // Debian's Python, which has Debian's packages. The PATH may have another one.
  const { stdout } = await run('/usr/bin/python3', [path.join(programs, 'oauth.py')], { env });

  const results = "True 200 True 200 {'active': False}";
  expect(stdout.split('\n')).toEqual([
    `client_secret_post ${results}`,
    `client_secret_basic ${results}`,
    `private_key_jwt ${results}`,
    'wrong secret: invalid_client',
    '',
  ]);
});

it('x/oauth2 gets tokens, and go-jose verifies them', { timeout: 300_000 }, async () => {
  const libraries = 'golang-golang-x-oauth2-dev golang-gopkg-square-go-jose.v2-dev';
  await requirePackages(`golang-go ${libraries}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-oauth-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(path.join(folder, 'cache'));
  const settings = { GO111MODULE: 'off', GOFLAGS: '', GOPATH: '/usr/share/gocode' };
  const go = { ...env, ...settings, GOCACHE: path.join(folder, 'cache') };

  const { stdout } = await run('go', ['run', path.join(programs, 'oauth.go')], { env: go });

  expect(stdout.split('\n')).toEqual([
    'detected Bearer true true 200',
    'header Bearer true true 200',
    'params Bearer true true 200',
    'assertion Bearer true true 200',
    'wrong secret 401',
    '',
  ]);
});

it('ruby-jwt verifies tokens of ES256 and RS256', async () => {
  await requirePackages('ruby ruby-jwt');
  const [transport] = openTransports(testApp.app);
  if (transport === undefined) throw new Error('there are no transports');
  onTestFinished(() => transport.close());
  for (const alg of ['ES256', 'RS256'] as const) {
    const audience = await addSigningAudience(testApp.app, transport, alg);
    const others = [
      await addSigningAudience(testApp.app, transport, alg),
      await addSigningAudience(testApp.app, transport, 'EdDSA'),
    ];
    const token = await audience.issue();
    const [header = '', payload = '', signature = ''] = token.split('.');
    const altered = `${header}.${payload}.${signature.replace(/^../, 'AA')}`;
    const tokens = [token, altered, ...(await Promise.all(others.map((other) => other.issue())))];
    const given = { ...env, AUDIENCE: audience.identifier, ALG: alg };

    const { stdout } = await run('/usr/bin/ruby', [path.join(programs, 'verify.rb'), ...tokens], {
      env: given,
    });

    expect(stdout.split('\n'), alg).toEqual([
      audience.clientId,
      'JWT::VerificationError',
      'JWT::InvalidAudError',
      expect.stringMatching(/^JWT::/),
      '',
    ]);
  }
});
