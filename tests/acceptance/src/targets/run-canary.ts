import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Runtime } from '@callboard/runtimes'
import type { CanaryOptions, CanaryReport } from './canary-worker.ts'

/** A timeout that none of the programs reaches, even on a busy machine. */
const TIMEOUT_MS = 120_000

/** Runs a program of this folder on a runtime, with its options in a file, and returns the JSON that it prints. */
export async function runProgram<Result>(
  file: string,
  options: unknown,
  { command, args }: Pick<Runtime, 'command' | 'args'>,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-canary-'))
  try {
    const path = join(folder, 'options.json')
    await writeFile(path, JSON.stringify(options))
    const program = fileURLToPath(new URL(file, import.meta.url))
    const printed = await new Promise<string>((resolve, reject) => {
      const all = { env: { ...process.env, ...env }, timeout: TIMEOUT_MS, maxBuffer: 1 << 26 }
      execFile(command, [...args, program, path], all, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${command}: ${error.message}\n${stderr}`)),
      )
    })
    return JSON.parse(printed)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Runs a canary worker on a runtime. */
export function runCanary(
  options: CanaryOptions,
  runtime: Pick<Runtime, 'command' | 'args'>,
  env?: Readonly<Record<string, string>>,
): Promise<CanaryReport> {
  return runProgram('./canary-worker.ts', options, runtime, env)
}
