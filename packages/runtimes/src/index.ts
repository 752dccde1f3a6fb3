export { OLD_BUN, RUNTIMES, type Runtime } from './lib/runtimes.ts'
