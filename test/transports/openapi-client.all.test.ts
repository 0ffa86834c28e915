// A client that independent tools generate from the OpenAPI document.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, it } from 'vitest';
import type { Demo, Flows } from '../openapi/demo.ts';
import { startTestApp } from '../support/harness.ts';
import { useStarted } from '../support/use-started.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'test/openapi');
const tool = (name: string) => path.join(folder, 'node_modules/.bin', name);

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
    await run(tool('openapi-typescript'), ['gen/openapi.json', '-o', target], { cwd: root });
    await run(tool('tsc'), ['-p', folder]);
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
