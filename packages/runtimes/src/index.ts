export { RUNTIMES, type Runtime } from './lib/runtimes.ts'
