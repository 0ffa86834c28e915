import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Of patience, not of speed: two cores may have a lot to do besides.
    expect: { poll: { timeout: 10_000 } },
    // Two cores: more workers than that only wait for each other.
    maxWorkers: 2,
  },
});
