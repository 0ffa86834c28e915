import { defineConfig } from 'vitest/config';

/** The tests that need no server, no browser and no PostgreSQL. */
export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts'],
    isolate: false,
    testTimeout: 30_000,
    maxWorkers: 2,
  },
});
