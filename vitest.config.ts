import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // One copy of graphql for the sources and for the libraries that `require` it; two copies fail with "another module or realm".
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // One store for the whole run.
    globalSetup: ['test/support/engine.setup.ts'],
    testTimeout: 30_000,
    // A database is dropped only when the transactions of a gateway that was killed have timed out, after a minute.
    hookTimeout: 90_000,
    pool: 'forks',
    // Files of one worker share what they import: loading the sources anew for each file takes as long as running it.
    isolate: false,
    // Many of these tests wait for processes of their own: on two cores vitest would run one file at a time.
    maxWorkers: 2,
  },
});
