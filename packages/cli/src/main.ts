#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' }
import { EXIT } from './lib/command-error.ts'
import { runProgram } from './lib/program.ts'

const interruption = new AbortController()
let takenOver = false
let onAgain: (() => void) | undefined
let interruptedAt: number | undefined

/** npm, npx and pnpm pass on a Ctrl-C that the terminal has sent to everybody already. */
const SAME_SIGNAL_MS = 500

// A command that does not end by itself is ended here, as is any at the second time.
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

// `callboard events list | head`: whoever reads has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
)

// A worker's log that nobody reads any more is no reason to stop delivering.
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

// Not left to the event loop: a platform's module may hold timers and connections that nobody ends. Pipes are flushed first.
process.exitCode = exitCode
process.stdout.write('', () => process.stderr.write('', () => process.exit()))
