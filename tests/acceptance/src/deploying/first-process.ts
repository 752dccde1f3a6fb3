import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** A process that is PID 1 of its own namespace, as in a container. */
export interface FirstProcess {
  /** What it has printed so far. */
  readonly output: () => string
  /** Sends the signal to the process, as a container's supervisor does. Does nothing once the process has ended. */
  kill(signal: NodeJS.Signals): void
  /** Resolves with the exit code, and null if a signal killed it. */
  readonly ended: Promise<number | null>
}

/**
 * Starts a command as PID 1, with util-linux' `unshare`. The kernel delivers to PID 1 only the signals that it handles:
 * one that relies on the default action of SIGTERM would never stop.
 */
export async function startFirstProcess(
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<FirstProcess> {
  const outer = spawn('unshare', ['--fork', '--pid', '--mount-proc', '--kill-child', '--', ...command], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.once('exit', () => outer.kill('SIGKILL'))
  let output = ''
  for (const stream of [outer.stdout, outer.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const ended = once(outer, 'close').then(([code]) => code)
  const pid = await firstChildOf(outer)
  return {
    output: () => output,
    ended,
    kill(signal) {
      if (outer.exitCode === null) process.kill(pid, signal)
    },
  }
}

async function firstChildOf({ pid }: ChildProcess): Promise<number> {
  for (let tries = 0; tries < 500; tries++) {
    const [child] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean)
    if (child !== undefined) return Number(child)
    await delay(10)
  }
  throw new Error('unshare has started no process. It needs root.')
}
