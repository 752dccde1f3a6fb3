import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

// The tests of the docs' receivers in other languages (pnpm test:receivers). The machine must have these languages,
// because npm cannot install them.
const { projects: _quick, ...options } = base.test ?? {}

export default mergeConfig(
  { test: options },
  defineConfig({ test: { include: ['examples/docs/src/**/*.receivers.ts'] } }),
)
