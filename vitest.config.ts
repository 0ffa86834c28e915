import { configDefaults, defineConfig } from 'vitest/config';
import { exhaustive, projects } from './test/support/projects.ts';

const isFull = process.env.LATCHKEY_TEST_MATRIX === 'full';

export default defineConfig({
  test: {
    // Set by `npm run test:times`.
    setupFiles: process.env.LATCHKEY_TEST_TIMES === undefined ? [] : ['test/times/record.ts'],
    // The files of a worker share its modules, so that the service is loaded once for each worker.
    isolate: false,
    // Long, because the machine may be busy with other work. A passing test does not wait for them.
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // How long a test waits for a state.
    expect: { poll: { timeout: 20_000 } },
    // For two cores: many tests wait for a timeout of the service, and leave their core idle.
    maxWorkers: 4,
    projects: Object.entries(projects).map(([name, { include, exclude = [], needsServers }]) => ({
      extends: true as const,
      test: {
        name,
        include: [...include],
        exclude: [...configDefaults.exclude, ...exclude, ...(isFull ? [] : [exhaustive])],
        globalSetup: needsServers ? ['test/support/global-setup.ts'] : [],
      },
    })),
  },
});
