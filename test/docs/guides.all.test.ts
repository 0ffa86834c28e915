import { afterAll, beforeAll } from 'vitest';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
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

itHoldsFor(guides, 7)(
  'every command of each guide works and shows the answer of the guide',
  async (name) => {
    await walkThrough({ document: `docs/guides/${name}.md`, dataDir: app.dataDir });
  },
);
