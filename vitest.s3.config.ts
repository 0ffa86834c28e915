import { defineConfig } from 'vitest/config';

/** The tests that need an S3 store from Debian packages. */
export default defineConfig({
  test: {
    include: ['test/fleet/**/*.fleet.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/fleet/s3/setup.ts'],
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // Some tests stop the store, which all files share.
    fileParallelism: false,
  },
});
