import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

// Tests in a real Chromium (pnpm test:browser). They are not part of `npm test`, which needs nothing but Node.
const { projects: _quick, ...options } = base.test ?? {}

export default mergeConfig(
  { test: options },
  defineConfig({
    test: {
      name: 'browser',
      include: ['tests/browser-tests/src/**/*.browser.ts'],
      // Each file starts a browser, which runs several processes, so two cores can run two files at the same time.
      maxWorkers: 2,
      testTimeout: 180_000,
      hookTimeout: 300_000,
    },
  }),
)
