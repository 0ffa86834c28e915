import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formatAnnouncement } from '../../src/cli/announcement.ts';
import { itHoldsFor } from '../support/rule.ts';

async function ready(bootstrapped: boolean) {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const bootstrapFile = path.join(folder, 'bootstrap.env');
  await writeFile(bootstrapFile, "STAFF_EMAIL='a@b.example'\nSTAFF_PASSWORD='Secret1'\n");
  return {
    publicUrl: 'http://127.0.0.1:8080',
    grpcAddress: '127.0.0.1:50051',
    opsUrl: 'http://127.0.0.1:9464',
    bootstrapFile,
    bootstrapped,
  };
}

test('the first start of a demo shows the sign-in on a terminal', async () => {
  const app = await ready(true);
  expect(await formatAnnouncement(app, { isTerminal: true, bootstrap: 'demo' })).toBe(
    `Latchkey is ready.
  HTTP/JSON and Connect  http://127.0.0.1:8080
  the console            http://127.0.0.1:8080/console
  gRPC                   127.0.0.1:50051
  operations             http://127.0.0.1:9464
  first credentials      ${app.bootstrapFile}

Sign in to the console. This is shown once:
  email                  a@b.example
  password               Secret1
`,
  );
});

itHoldsFor([
  ['no terminal', { isTerminal: false, bootstrap: 'demo', bootstrapped: true }],
  ['no demo', { isTerminal: true, bootstrap: 'owner', bootstrapped: true }],
  ['a later start', { isTerminal: true, bootstrap: 'demo', bootstrapped: false }],
] as const)(
  'without a terminal or a first demo start, no password is shown',
  async (_case, { bootstrapped, ...options }) => {
    const text = await formatAnnouncement(await ready(bootstrapped), options);
    expect(text).toContain('http://127.0.0.1:8080/console');
    expect(text).not.toContain('Secret1');
    expect(text).not.toContain('a@b.example');
  },
);
