import process from 'node:process'
import { getHeapStatistics } from 'node:v8'

/** MiB. The young generation takes up to three semi-spaces, and by default a semi-space of Node 24 grows to 64 MiB. */
const SEMI_SPACE = 12
/** MiB. With a limit below 2 GiB, V8 collects garbage when the heap has doubled, instead of quadrupled. */
const OLD_SPACE = 2_000
/** Matches the options of Node that size the heap. */
const SIZED = /--max[-_](semi|old|heap)/
/** Node cannot replace a process here. */
const CANNOT_REPLACE = ['win32', 'os400']

/**
 * Limits the garbage in the heap of this process. Node reads such limits only when it starts, so this function replaces
 * the process by one with the same arguments, pid, environment, pipes and exit code. Call it before opening anything.
 *
 * Returns and changes nothing if Node's options already size the heap, as they do after the replacement, if Node cannot
 * replace a process (on Windows, or before 22.15), or if a parent forked this process, because a replacement would
 * close the channel between them.
 */
export function limitHeap(): void {
  const { execArgv, execPath, env, argv, platform, connected } = process
  if (CANNOT_REPLACE.includes(platform) || connected || SIZED.test([...execArgv, env['NODE_OPTIONS']].join(' '))) return
  // In a small container, V8's own limit is lower.
  const oldSpace = Math.min(OLD_SPACE, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20))
  const limits = [`--max-semi-space-size=${SEMI_SPACE}`, `--max-old-space-size=${oldSpace}`]
  process.execve?.(execPath, [execPath, ...execArgv, ...limits, ...argv.slice(1)], env)
}
