#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' }
import { EXIT } from './lib/command-error.ts'
import { runProgram } from './lib/program.ts'

// On an older Node, commands would fail halfway, at the first function that this Node lacks.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`error: callboard needs Node 22.12 or newer. This is Node ${process.versions.node}.\n`)
  process.exit(EXIT.failed)
}

const interruption = new AbortController()
let takenOver = false
let onAgain: (() => void) | undefined
let interruptedAt: number | undefined

/**
 * A second signal within this time is ignored. It comes from the same Ctrl-C, which npm, npx and pnpm forward although
 * the terminal has sent it to this process as well.
 */
const SAME_SIGNAL_MS = 500

// A command that handles signals is aborted at the first signal and ended at the next. Any other command ends at the
// first signal.
for (const [name, exitCode] of [
  ['SIGINT', EXIT.interrupted],
  ['SIGTERM', 143],
] as const)
  process.on(name, () => {
    if (takenOver && interruptedAt === undefined) {
      interruptedAt = performance.now()
      return interruption.abort()
    }
    if (interruptedAt !== undefined && performance.now() - interruptedAt < SAME_SIGNAL_MS) return
    if (onAgain === undefined) process.exit(exitCode)
    onAgain()
    onAgain = undefined
  })

// EPIPE is no failure: in `callboard events list | head`, the reader stops when it has read enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
)

// Errors on stderr are ignored, so that a worker keeps delivering after the process that reads its log has ended.
process.stderr.on('error', () => undefined)

const exitCode = await runProgram(process.argv.slice(2), manifest.version, {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  folder: process.cwd(),
  signal(again) {
    takenOver = true
    onAgain = again
    return interruption.signal
  },
})

// Exits explicitly, because a platform's module may leave timers and connections open. Pipes are flushed first.
process.exitCode = exitCode
process.stdout.write('', () => process.stderr.write('', () => process.exit()))
