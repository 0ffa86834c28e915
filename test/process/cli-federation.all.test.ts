// Programs without a secret: the commands that trust an issuer, and programs that send its tokens.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '../../clients/client/src/index.ts';
import { assertionFromFile } from '../../clients/client/src/node.ts';
import { openShell, openStaffShell, type Shell } from '../support/cli.ts';
import { gitHubClaims, startFakeIssuer } from '../support/fake-issuer.ts';
import { startProgram } from '../support/program.ts';
import { useStarted } from '../support/use-started.ts';

type Printed = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly client: { readonly id: string };
};

const program = useStarted(() => startProgram());
let staff: Shell;

/** Returns the output of a command. */
async function json(shell: Shell, words: readonly string[]): Promise<Printed> {
  const { status, stdout, stderr } = await shell.run([...words, '--json']);
  expect({ status, stderr }, words.join(' ')).toMatchObject({ status: 0 });
  return JSON.parse(stdout);
}

test('a workload gets tokens with a file that its platform writes', async () => {
  const issuer = await startFakeIssuer();
  staff = await openStaffShell(program);

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
