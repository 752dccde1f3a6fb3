import { execFile } from 'node:child_process'

export interface RunOptions {
  /** The folder to run in; the working directory of this process by default. */
  readonly cwd?: string | undefined
  /** Variables to add to the environment of this process; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * Runs a program and resolves to its standard output. Rejects with all its output if the program fails or takes longer
 * than fifteen minutes.
 */
export function run(command: string, args: readonly string[], { cwd, env }: RunOptions = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 900_000, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout)
      reject(new Error(`${command} ${args.join(' ')} (${error.code ?? error.signal})\n${stdout}${stderr}`))
    })
  })
}
