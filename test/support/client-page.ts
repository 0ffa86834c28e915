// A browser page with the package @latchkey/client, bundled as an application bundles it.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { build, type Rollup } from 'vite';
import type { TestApp } from './harness.ts';

const program = `
import { createClient, LatchkeyError } from '@latchkey/client';
window.createClient = createClient;
window.LatchkeyError = LatchkeyError;
`;

/** Returns the script of the page. `folder` is a project with the package. */
export async function bundleClient(folder: string): Promise<string> {
  await writeFile(path.join(folder, 'browser.js'), program);
  const built = await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: { entry: 'browser.js', formats: ['es'] },
    },
  });
  const [output] = [built].flat() as Rollup.RollupOutput[];
  const [chunk] = output?.output ?? [];
  if (chunk === undefined) throw new Error('the build has no output');
  return chunk.code;
}

/** Runs the body of a function in the page. `open(credentials)` returns a client of the app. */
export function evaluateIn<T>(page: Page, { app, env }: TestApp, body: string): Promise<T> {
  const values = { baseUrl: app.publicUrl, apiKey: env.API_KEY, customerKey: env.CUSTOMER_API_KEY };
  return page.evaluate<T>(`(async ({ baseUrl, apiKey, customerKey }) => {
    const open = (credentials) => createClient({ baseUrl, credentials });
    ${body}
  })(${JSON.stringify(values)})`);
}
