export { type CallboardConfig, type ConfigPool, defineConfig } from './lib/define-config.ts'
export type { JsonLines, JsonOutput, Printed } from './lib/json-output.ts'
