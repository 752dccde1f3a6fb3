import { globSync, readFileSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

// The fault matrix (pnpm test:faults): tests that take minutes, kill processes or measure. `npm test` omits them.
// `tests/acceptance/src/on-each-store.ts` says why the last project runs some files of `npm test` again.
const onEachStore = globSync('tests/acceptance/src/**/*.test.ts').filter((file) =>
  readFileSync(file, 'utf8').includes('describeOnEachStore('),
)

const { projects: _quick, ...options } = base.test ?? {}

export default mergeConfig(
  { test: options },
  defineConfig({
    test: {
      // The timeouts are long, because some tests take minutes: one of them kills workers for a whole minute.
      testTimeout: 300_000,
      hookTimeout: 120_000,
      projects: [
        { extends: true, test: { name: 'faults', include: ['{packages,tests,examples}/*/src/**/*.faults.ts'] } },
        { extends: true, test: { name: 'pglite', include: onEachStore, env: { STORES: 'pglite' } } },
        // Tests that compare times or memory need the machine to themselves: one file at a time, after all others.
        {
          extends: true,
          test: {
            name: 'loads',
            include: ['{packages,tests}/*/src/**/*.loads.ts'],
            fileParallelism: false,
            sequence: { groupOrder: 1 },
          },
        },
      ],
      passWithNoTests: true,
    },
  }),
)
