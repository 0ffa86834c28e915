// Tokens of programs on the command line: clients without a secret, tokens that are bound to a key,
// and token exchange.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { calculateJwkThumbprint, decodeJwt } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../clients/client/src/index.ts';
import { assertionFromFile } from '../../clients/client/src/node.ts';
import type { KeyBinding } from '../../src/identity/tokens/claims.ts';
import { openShell, openStaffShell, type Shell, startServer } from '../support/cli.ts';
import { jwkOf, keyPairs } from '../support/client-keys.ts';
import { digestOf, makeHolder } from '../support/dpop.ts';
import { gitHubClaims, startFakeIssuer } from '../support/fake-issuer.ts';
import { startTestApp } from '../support/harness.ts';
import { addClient } from '../support/owner-rows.ts';
import { signToken } from '../support/signed-tokens.ts';
import { useStarted } from '../support/use-started.ts';

type Printed = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly client: { readonly id: string };
};

const program = useStarted(() => startServer());

/** Returns the output of a command. */
async function json(shell: Shell, words: readonly string[]): Promise<Printed> {
  const { status, stdout, stderr } = await shell.run([...words, '--json']);
  expect({ status, stderr }, words.join(' ')).toMatchObject({ status: 0 });
  return JSON.parse(stdout);
}

test('a workload gets tokens with a file that its platform writes', async () => {
  const issuer = await startFakeIssuer();
  const staff = await openStaffShell(program);

  await writeFile(path.join(staff.home, 'jwks.json'), JSON.stringify(issuer.jwks()));
  await issuer.close();
  const iss = 'https://ci.example.com';
  const trust = ['issuers', 'create', iss, '--name', 'CI', '--jwks', 'jwks.json'];
  const { id: issuerId } = await json(staff, trust);
  const create = ['clients', 'create', 'deploy', '--scope', 'accounts:read'];
  const { id: clientId } = (await json(staff, create)).client;
  const subject = 'repo:octo-org/*:environment:production';
  const claims = ['--claims', '{"repository_owner_id":"65"}'];
  const add = ['clients', 'identities', 'create', clientId, issuerId, subject, ...claims];
  const identity = await json(staff, add);
  expect(identity).toMatchObject({ subject, claims: { repository_owner_id: '65' } });

  const shell = await openShell({
    LATCHKEY_BASE_URL: program.origin,
    LATCHKEY_CLIENT_ID: clientId,
    LATCHKEY_CLIENT_ASSERTION_FILE: 'token',
  });
  const file = path.join(shell.home, 'token');
  await writeFile(file, `${await issuer.sign(gitHubClaims(iss, program.origin))}\n`);
  const issued = await json(shell, ['token', '--scope', 'accounts:read']);
  expect(issued).toMatchObject({ token_type: 'Bearer', scope: 'accounts:read' });
  expect(await json(shell, ['whoami'])).toMatchObject({ kind: 'client', client_id: clientId });
  expect(await shell.run(['accounts', 'list'])).toMatchObject({ status: 0 });

  const assertion = assertionFromFile(file);
  const credentials = { clientId, assertion, scope: 'accounts:read' };
  const client = createClient({ baseUrl: program.origin, credentials });
  expect((await client.accounts.listAccounts({})).accounts.length).toBeGreaterThan(0);

  await json(staff, ['issuers', 'update', issuerId, '--no-enabled']);
  const refused = await shell.run(['token', '--scope', 'accounts:read']);
  expect(refused).toMatchObject({ status: 77, stdout: '' });
  await expect
    .poll(async () => (await staff.run(['audit', 'list', '--json'])).stdout)
    .toContain('"reason":"The trusted issuer is disabled."');
});

const scope = 'accounts:read';

/** Creates a client with a key pair. Its shell has the private key, and no secret. */
async function openKeyShell(...more: readonly string[]) {
  const staff = await openStaffShell(program);
  const pair = keyPairs.ES256();
  await writeFile(path.join(staff.home, 'public.json'), JSON.stringify(jwkOf(pair)));
  const words = ['clients', 'create', 'reports', '--scope', scope, '--scope', 'tokens:read'];
  const clientId = (await json(staff, [...words, ...more])).client.id;
  await json(staff, ['clients', 'keys', 'create', clientId, '--jwk', 'public.json']);
  const shell = await openShell({
    LATCHKEY_BASE_URL: program.origin,
    LATCHKEY_CLIENT_ID: clientId,
    LATCHKEY_CLIENT_KEY_FILE: 'private.json',
  });
  const privateJwk = pair.privateKey.export({ format: 'jwk' });
  await writeFile(path.join(shell.home, 'private.json'), JSON.stringify(privateJwk));
  return { staff, clientId, shell, pair };
}

test('a client signs in with its private key, in the environment or in a profile', async () => {
  const { staff, clientId, shell } = await openKeyShell();
  const issued = await json(shell, ['token', '--scope', scope]);
  expect(issued).toMatchObject({ token_type: 'Bearer', scope });
  expect(await json(shell, ['whoami'])).toMatchObject({ kind: 'client', client_id: clientId });
  expect(await shell.run(['accounts', 'list'])).toMatchObject({ status: 0 });
  expect(await shell.run(['api', 'GET', '/accounts', '--scope', scope])).toMatchObject({
    status: 0,
  });

  // The client has no default scopes.
  expect(await shell.run(['api', 'GET', '/accounts'])).toMatchObject({ status: 77, stdout: '' });

  const file = path.join(shell.home, 'private.json');
  const login = ['--profile', 'key', 'login', '--client', clientId];
  const words = [...login, '--server', program.origin, '--key-file'];
  expect(await staff.run([...words, path.relative(staff.home, file)])).toMatchObject({ status: 0 });
  const inProfile = await json(staff, ['--profile', 'key', 'token', '--scope', scope]);
  expect(decodeJwt(String(inProfile.access_token)).sub).toBe(clientId);

  await writeFile(file, JSON.stringify(jwkOf(keyPairs.ES256())));
  const refused = await shell.run(['token', '--scope', scope]);
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain('is not a private JWK');
  expect(await shell.run(['token', '--dpop', 'none.json'])).toMatchObject({ status: 66 });
});

test('a client with bound tokens calls the server, and gets a token for a key', async () => {
  const { shell, pair } = await openKeyShell('--bound-tokens');
  expect(await shell.run(['accounts', 'list'])).toMatchObject({ status: 0 });
  expect(await shell.run(['api', 'GET', '/accounts', '--scope', scope])).toMatchObject({
    status: 0,
  });
  expect(await shell.run(['whoami'])).toMatchObject({ status: 0 });
  expect((await shell.run(['token', '--scope', scope])).stderr).toContain('invalid_dpop_proof');

  const words = ['token', '--scope', scope, '--dpop', 'private.json'];
  const { access_token: token, token_type: type } = await json(shell, words);
  expect(type).toBe('DPoP');
  const jkt = await calculateJwkThumbprint(jwkOf(pair));
  expect(decodeJwt(String(token)).cnf).toEqual({ jkt });
});

test('an agent exchanges the token of a customer', async () => {
  const { clientId, shell } = await openKeyShell('--may-act', 'customer');
  const customer = await openShell({
    LATCHKEY_BASE_URL: program.origin,
    LATCHKEY_API_KEY: program.env.CUSTOMER_API_KEY,
  });
  const [account = ''] = program.env.CUSTOMER_ACCOUNTS.split(',');
  const subject = await json(customer, ['token', '--scope', scope]);
  await writeFile(path.join(shell.home, 'subject'), `${subject.access_token}\n`);
  const actor = await json(shell, ['token', '--scope', scope]);
  await writeFile(path.join(shell.home, 'actor'), String(actor.access_token));

  const files = ['--subject-token-file', 'subject', '--actor-token-file', 'actor'];
  const exchanged = await json(shell, ['token', ...files, '--account', account]);
  expect(exchanged).toMatchObject({ token_type: 'Bearer', scope });
  const { act, accounts } = decodeJwt(String(exchanged.access_token));
  expect({ act, accounts }).toEqual({ act: { sub: clientId }, accounts: [account] });
  const bound = await json(shell, ['token', ...files, '--dpop', 'private.json']);
  expect(bound.token_type).toBe('DPoP');

  const wrong = [
    [shell, ['token', '--account', account]],
    [shell, ['token', '--actor-token-file', 'actor']],
    [customer, ['token', '--subject-token-file', path.join(shell.home, 'subject')]],
  ] as const;
  for (const [caller, words] of wrong) {
    expect(await caller.run(words), words.join(' ')).toMatchObject({ status: 2, stdout: '' });
  }
});

test('the server checks a bound token only with its certificate or proof', async () => {
  const { app, remove } = await startTestApp();
  onTestFinished(remove);
  const { ownerId, text } = await addClient(app.inside.db, 'tokens:read');
  const shell = await openShell({
    ...{ LATCHKEY_BASE_URL: app.publicUrl, LATCHKEY_CLIENT_ID: ownerId },
    LATCHKEY_CLIENT_SECRET: text,
  });
  const sign = (cnf: KeyBinding) => signToken(app, { type: 'service', scope, cnf });
  const verify = async (token: string, ...words: readonly string[]) =>
    (await shell.run(['verify', ...words], token)).status;

  const own = digestOf('certificate');
  const byCertificate = await sign({ 'x5t#S256': own });
  expect(await verify(byCertificate, '--certificate-sha256', own)).toBe(0);
  expect(await verify(byCertificate, '--certificate-sha256', digestOf('other'))).toBe(1);
  expect(await verify(byCertificate)).toBe(1);

  const holder = await makeHolder();
  const byKey = await sign({ jkt: holder.jkt });
  const htu = 'https://api.example.com/reports';
  const proof = await holder.prove({ htm: 'GET', htu, ath: digestOf(byKey) });
  await writeFile(path.join(shell.home, 'proof'), proof);
  const request = ['--dpop-proof-file', 'proof', '--http-method', 'GET', '--http-url'];
  expect(await verify(byKey, ...request, 'https://api.example.com/other')).toBe(1);
  expect(await verify(byKey, ...request, htu)).toBe(0);
  expect(await verify(byKey)).toBe(1);
});
