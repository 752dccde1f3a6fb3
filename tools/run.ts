import { execFile } from 'node:child_process'

export interface RunOptions {
  /** The folder to run in; where this process is by default. */
  readonly cwd?: string | undefined
  /** Set beside this process's own environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/** Runs a program, at most fifteen minutes (a limit for what hangs), and gives what it wrote; rejects with all it said when it fails. */
export function run(command: string, args: readonly string[], { cwd, env }: RunOptions = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 900_000, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      reject(new Error(`${command} ${args.join(' ')} (${error.code ?? error.signal})\n${stdout}${stderr}`))
    })
  })
}
