import { afterAll, beforeAll, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { walkThrough } from '../support/walkthrough.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.remove());

const guides = [
  ...['verify-tokens', 'rotate-without-downtime', 'client-keys', 'one-token-per-service'],
  ...['gate-a-document', 'move-client-credentials', 'agents-that-act-for-people'],
];

it.each(guides)(
  'every command of the guide %s works and shows the answer of the guide',
  async (name) => {
    await walkThrough({ document: `docs/guides/${name}.md`, dataDir: app.dataDir });
  },
);
