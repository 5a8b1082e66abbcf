import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';

export default defineConfig({
  resolve: {
    // One copy of graphql for the sources and for the libraries that `require` it; two copies fail with "another module or realm".
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Data folders in memory, one store for the whole run, and one table of the commands sent to it.
    globalSetup: [
      'test/support/folders.setup.ts',
      'test/support/engine.setup.ts',
      'test/support/sent-commands/merge.setup.ts',
    ],
    // Every REST response that a test fetches must be as openapi.json says, and every command to the store one that a MongoDB takes.
    // A failed test prints its last requests.
    setupFiles: ['documented', 'commands', 'exchanges'].map((name) => `test/support/${name}.setup.ts`),
    // A limit ends only what hangs: a busy machine may take ten times as long as a quiet one, and no test is about time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 240_000, interval: 50 } },
    pool: 'forks',
    // Gateways that start and end fill the young generation of 16 MB again and again: collecting it takes a twentieth of the processor time.
    execArgv: ['--max-semi-space-size=64'],
    // Transformed sources stay for the next run: half the processor time of a single file, and seconds of each further run of CI.
    experimental: { fsModuleCache: true },
    // Files of one worker share what they import: loading the sources anew for each file takes as long as running it.
    isolate: false,
    // Many of these tests wait for processes of their own: on two cores vitest would run one file at a time, and three leave a core idle at times.
    maxWorkers: 4,
    // So that no worker ends alone with a file that takes minutes.
    sequence: { sequencer: LongestFirst },
    // Tests marked as concurrent only wait: all of a file at once.
    maxConcurrency: 20,
  },
});
