export { type CallboardConfig, type ConfigPool, defineConfig } from './lib/define-config.ts'
