import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { createCountReporter } from './tools/count-reporter.ts'

const counts = process.env['TEST_COUNTS']

// Types are not checked here: `tsc` covers the tests and their `expectTypeOf` (pnpm check:types).
export default defineConfig({
  test: {
    // Everywhere but in the router's own sources: its answers are held to the OpenAPI document.
    alias: [
      {
        find: /^@callboard\/router$/,
        replacement: fileURLToPath(new URL('packages/router/test/checked-router.ts', import.meta.url)),
      },
    ],
    projects: [
      { extends: true, test: { name: 'packages', include: ['{packages,tests}/*/src/**/*.test.ts'] } },
      // Real servers on real binaries: after the packages, so that they do not compete with them for two cores.
      {
        extends: true,
        test: { name: 'examples', include: ['examples/*/src/**/*.test.ts'], sequence: { groupOrder: 1 } },
      },
    ],
    // Processes, not threads: tests start Postgres, and stopping it on a signal needs a process of one's own.
    pool: 'forks',
    // Vitest leaves one core to itself, which on two cores runs one file at a time; most tests here wait for I/O.
    maxWorkers: '100%',
    // Limits for what hangs, not for what is slow: the first test that needs Postgres waits for initdb.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: counts ? ['default', createCountReporter(counts)] : ['default'],
  },
})
