export { OLD_BUN, RUNTIMES, type Runtime } from './lib/runtimes.ts'
export { startWorkerd, type Workerd } from './lib/workerd.ts'
