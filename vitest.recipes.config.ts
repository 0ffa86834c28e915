import { defineConfig } from 'vitest/config';

/** The programs in other languages, which need Debian packages. */
export default defineConfig({
  test: {
    include: ['test/recipes/**/*.recipe.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 60_000,
  },
});
