import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

// The fault matrix (pnpm test:faults): what takes minutes, kills processes or measures, and so is not part of `npm test`.
const { projects: _quick, ...options } = base.test ?? {}

export default mergeConfig(
  { test: options },
  defineConfig({
    test: {
      // Limits for what hangs: a row that kills workers for a minute takes more than one.
      testTimeout: 300_000,
      hookTimeout: 120_000,
      projects: [
        { extends: true, test: { name: 'faults', include: ['{packages,tests}/*/src/**/*.faults.ts'] } },
        // What compares times or memory needs the machine to itself: one file after another, after all the others.
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
