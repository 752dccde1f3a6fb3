export { type Listen, runPlatform } from './run-platform.ts'
