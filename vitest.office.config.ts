import { defineConfig } from 'vitest/config';

/** The previews of Office files, which need LibreOffice. */
export default defineConfig({
  test: {
    include: ['test/sharing/office/**/*.office.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    isolate: false,
    // A conversion takes several seconds of one core.
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000, interval: 200 } },
  },
});
