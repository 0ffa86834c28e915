// Clients that independent tools generate from the OpenAPI document.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, it } from 'vitest';
import type { Demo, Flows, SharingFlows } from '../openapi/demo.ts';
import { lastCode } from '../support/gate-visitor.ts';
import { startTestApp } from '../support/harness.ts';
import { useStarted } from '../support/use-started.ts';

const execute = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'test/openapi');
const run = (tool: string, args: readonly string[]) =>
  execute(path.join(folder, 'node_modules/.bin', tool), args, { cwd: root });

const test = useStarted(() => startTestApp({ now: () => Date.now() + skipped }));
let skipped = 0;
let demo: Demo;
let flows: Flows;
beforeAll(async () => {
  // The compiler of the project cannot read the flows before the types are generated.
  const module: { flows: Flows } = await import(path.join(folder, 'flows.ts'));
  flows = module.flows;
  const { env } = test;
  demo = {
    baseUrl: test.app.publicUrl,
    clientId: env.CLIENT_ID,
    clientSecret: env.CLIENT_SECRET,
    customerApiKey: env.CUSTOMER_API_KEY,
    workspaceApiKey: env.API_KEY,
    staffEmail: env.STAFF_EMAIL,
    staffPassword: env.STAFF_PASSWORD,
  };
});

describe('a client that openapi-typescript generates', () => {
  it('has types that permit these flows', async () => {
    const target = path.join(root, '.cache/openapi/api.d.ts');
    await run('openapi-typescript', ['gen/openapi.json', '-o', target]);
    await run('tsc', ['-p', folder]);
  });

  it('issues, exchanges, verifies and revokes tokens', () => flows.tokens(demo));

  it('gets errors with codes', () => flows.errors(demo));

  it('uploads, downloads and shares a document', () => flows.sharing(demo, 'Meeting notes'));

  it('corrects a document in a folder, shares it with people, and sees who read it', () =>
    flows.teamwork(demo));

  it('rotates an API key after a recent sign-in', () =>
    flows.rotation(demo, () => {
      skipped += 301_000;
    }));
});

describe('a client that @hey-api/openapi-ts generates', () => {
  let sharing: SharingFlows;

  it('has types that permit these flows', { timeout: 120_000 }, async () => {
    const target = path.join(root, '.cache/openapi/sdk');
    await run('openapi-ts', ['-i', './gen/openapi.json', '-o', target, '--no-log-file']);
    await run('tsc', ['-p', path.join(folder, 'tsconfig.sdk.json')]);
    sharing = (await import(path.join(folder, 'sdk-flows.ts'))).sharingFlows;
  });

  it('corrects a document and restores a version', () => sharing.versions(demo));

  it('lists the entries of a room and reads one', () => sharing.rooms(demo));

  it('creates and mails a link for each recipient', () => sharing.batch(demo));

  it('accepts an agreement and gets its receipt', () =>
    sharing.agreements(demo, (email) => lastCode(test, email)));

  it('lists, exports and erases visitors, and sets a watermark', () => sharing.visitors(demo));

  it('adds and deletes a domain', () => sharing.domains(demo));
});
