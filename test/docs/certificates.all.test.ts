// The commands of docs/operations.md that make certificates, and calls with them.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { credentials } from '@grpc/grpc-js';
import { decodeJwt } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { messageOf } from '../support/manager-calls.ts';
import { builtProgram, newDataDir, startProgram } from '../support/program.ts';
import { openGrpcTransport } from '../support/transports.ts';

const run = promisify(execFile);

async function blocksOf(title: string): Promise<string[]> {
  const file = path.resolve(import.meta.dirname, '../../docs/operations.md');
  const [, section = ''] = (await readFile(file, 'utf8')).split(`### ${title}\n`);
  const [own = ''] = section.split('\n### ');
  return [...own.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

it('the certificates for a test secure the calls of the page', async () => {
  const blocks = await blocksOf('Certificates for a test');
  const [make = '', call = '', getToken = '', listAccounts = ''] = blocks;
  const folder = await newDataDir();
  const bash = (script: string, env = {}) =>
    run('bash', ['-e', '-c', script], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  await bash(make);
  const program = await startProgram(
    {
      LATCHKEY_TLS_CERT: 'tls.crt',
      LATCHKEY_TLS_KEY: 'tls.key',
      LATCHKEY_HTTP_CLIENT_CA: 'ca.crt',
      LATCHKEY_GRPC_CLIENT_CA: 'ca.crt',
    },
    folder,
  );
  onTestFinished(() => program.remove());
  const { LATCHKEY_BASE_URL, LATCHKEY_GRPC_ADDRESS } = program.env;
  expect(LATCHKEY_BASE_URL).toMatch(/^https:/);

  const npx = `() { shift; '${process.execPath}' '${builtProgram}' "$@"; }`;
  const commands = { HOME: folder, 'BASH_FUNC_npx%%': npx };
  const { stdout } = await bash(`ln -s . data\n${call}`, commands);
  expect(stdout).toContain('"kty":"OKP"');
  const [, clientId] = /client\.id\t(\S+)/.exec(stdout) ?? [];
  expect(clientId).toMatch(/^cli_/);

  const token = await bash(getToken, { LATCHKEY_BASE_URL });
  expect(decodeJwt(JSON.parse(token.stdout).access_token).sub).toBe(clientId);

  const caller = { ...commands, LATCHKEY_BASE_URL, BILLING_ID: clientId };
  const listed = await bash(listAccounts, caller);
  expect(listed.stdout).toMatch(/^acc_/);

  const read = (name: string) => readFile(path.join(folder, name));
  const [ca, key, certificate] = await Promise.all(
    ['ca.crt', 'billing.key', 'billing.crt'].map(read),
  );
  if (ca === undefined || key === undefined || certificate === undefined)
    throw new Error('no files');
  const app = { grpcAddress: LATCHKEY_GRPC_ADDRESS };
  const workload = openGrpcTransport(app, credentials.createSsl(ca, key, certificate));
  onTestFinished(() => workload.close());
  const { issueToken } = IssuanceService.method;
  const answer = await workload.call(issueToken, { scope: 'accounts:read' });
  expect(decodeJwt(messageOf(answer).accessToken).sub).toBe(clientId);
});
