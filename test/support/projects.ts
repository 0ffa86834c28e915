// The projects of the tests: `npx vitest run --project unit` runs one of them.

type Project = {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** Whether the tests need the built program and PostgreSQL. */
  readonly needsServers: boolean;
};

/** The tests that only `npm run test:all` runs, because they take long. */
export const exhaustive = '**/*.all.test.ts';

const folders = {
  unit: ['test/unit/**/*.test.ts', 'test/tidy/**/*.test.ts'],
  browser: ['test/{console,viewer,docs}/**/*.test.ts'],
  process: ['test/{process,clients}/**/*.test.ts'],
};

export const projects: Readonly<Record<string, Project>> = {
  /** Needs no server, no browser and no PostgreSQL. */
  unit: { include: folders.unit, needsServers: false },
  /** Needs the service, in the process of the test. */
  app: {
    include: ['test/**/*.test.ts'],
    exclude: Object.values(folders).flat(),
    needsServers: true,
  },
  /** Needs Chromium. */
  browser: { include: folders.browser, needsServers: true },
  /** Starts the built program. */
  process: { include: folders.process, needsServers: true },
};
