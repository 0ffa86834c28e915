import { afterAll, beforeAll, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { walkThrough } from '../support/walkthrough.ts';

/** Shorter than the default, so that a sign-in is soon no longer recent. */
const stepUpSeconds = 5;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ config: { stepUpSeconds } });
});
afterAll(() => test.remove());

it('every command of the tour works and shows the answer of the tour', async () => {
  const env = { LATCHKEY_STEP_UP_SECONDS: String(stepUpSeconds) };
  await walkThrough({ document: 'docs/tour.md', dataDir: test.dataDir, env });
});
