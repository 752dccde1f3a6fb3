import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

// In a real Chromium (pnpm test:browser), and so no part of `npm test`, which needs nothing but Node.
const { projects: _quick, ...options } = base.test ?? {}

export default mergeConfig(
  { test: options },
  defineConfig({
    test: {
      name: 'browser',
      include: ['tests/browser-tests/src/**/*.browser.ts'],
      // Each file starts a browser, which is several processes: two at once are as many as two cores carry.
      maxWorkers: 2,
      testTimeout: 180_000,
      hookTimeout: 300_000,
    },
  }),
)
