import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
/** Where Debian's package installs the programs. */
const FOLDER = '/usr/bin'
const TRIES = 200

export interface Prometheus {
  /** The `data` in a response of Prometheus's HTTP API. Rejects if the `status` in the response is not `success`. */
  ask(path: string, parameters?: Readonly<Record<string, string>>): Promise<unknown>
  stop(): Promise<void>
}

/** Starts Debian's Prometheus with the configuration in a file. No package in the npm registry contains Prometheus. */
export async function startPrometheus(configuration: string): Promise<Prometheus> {
  const data = await mkdtemp(join(tmpdir(), 'callboard-prometheus-'))
  const address = `127.0.0.1:${await freePort()}`
  const options = { 'config.file': configuration, 'storage.tsdb.path': data, 'web.listen-address': address }
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(program('prometheus'), flags, { stdio: 'ignore' })
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGKILL')) await ended
    await rm(data, { recursive: true, force: true })
  }
  try {
    await isReady(`http://${address}/-/ready`, child)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    stop,
    async ask(path, parameters) {
      const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`)
      const { status, data: found, error } = await response.json()
      if (status !== 'success') throw new Error(`${path} ${JSON.stringify(parameters)}: ${error}`)
      return found
    },
  }
}

/**
 * Runs Debian's `promtool`. If `promtool` finds a mistake, rejects with an error that contains the program's output.
 */
export async function runPromtool(...values: readonly string[]): Promise<void> {
  await run(program('promtool'), values)
}

function program(name: string): string {
  const path = join(FOLDER, name)
  if (!existsSync(path)) throw new Error('Prometheus is missing. Install Debian’s package: apt-get install prometheus')
  return path
}

async function isReady(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok === true) return
    if (tries === TRIES || child.exitCode !== null) throw new Error('Prometheus did not start')
    await delay(50)
  }
}
