import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { createCountReporter } from './tools/count-reporter.ts'

const PACKAGES = ['{packages,tests}/*/src/**/*.test.ts']
/**
 * Files that run first, each in a process of its own: those of the client, because MSW replaces `fetch` and
 * `node:http`, and the longest, because the run would otherwise end with it alone.
 */
const ISOLATED = ['packages/client/src/**/*.test.ts', 'packages/store-postgres/src/lib/postgres-store.test.ts']

const counts = process.env['TEST_COUNTS']

// Types are not checked here: `tsc` covers the tests and their `expectTypeOf` (pnpm check:types).
export default defineConfig({
  test: {
    // Code that imports `@callboard/router` by name gets a router that checks its responses against the OpenAPI
    // document.
    alias: [
      {
        find: /^@callboard\/router$/,
        replacement: fileURLToPath(new URL('packages/router/test/checked-router.ts', import.meta.url)),
      },
    ],
    // Caches compiled code for the many processes that tests start, because the packages run from source.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)) },
    projects: [
      // Test files share processes and loaded modules, because loading them anew for each file doubles the CPU time.
      { extends: true, test: { name: 'packages', include: PACKAGES, exclude: ISOLATED, isolate: false } },
      // Projects start in the order of their names.
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      // The examples' tests start real servers. They run after the tests of the packages, so that the two groups do not
      // compete for the CPU.
      {
        extends: true,
        test: { name: 'examples', include: ['examples/*/src/**/*.test.ts'], sequence: { groupOrder: 1 } },
      },
    ],
    // Tests run in processes, not in threads: they start Postgres, which must be stopped on a signal, and threads
    // receive no signals.
    pool: 'forks',
    // All cores are used, because most tests wait for I/O. By default, Vitest leaves one core free, so with two cores
    // it would run one file at a time.
    maxWorkers: '100%',
    // The timeouts are long, because they must stop only tests that hang: the first test that needs Postgres is slow,
    // as it waits for initdb.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: counts ? ['default', createCountReporter(counts)] : ['default'],
  },
})
