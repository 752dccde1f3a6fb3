import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Runtime } from '@callboard/runtimes'
import type { ExchangePlan, ExchangeReport } from './exchange-program.ts'

export interface ExchangeProcess {
  readonly reports: ReadonlyMap<string, ExchangeReport>
  /** Makes the program close all connections that it has kept. */
  closeConnections(): void
  /** Lets the program exit, and returns its exit code and what it wrote to stderr. */
  exit(): Promise<{ readonly code: number | null; readonly complaints: string }>
}

const program = fileURLToPath(new URL('./exchange-program.ts', import.meta.url))

/** Runs `exchange-program.ts` on a runtime. Resolves once the program has carried out its plan. */
export async function runExchanges({ command, args }: Runtime, plan: ExchangePlan): Promise<ExchangeProcess> {
  const child = spawn(command, [...args, program], { stdio: ['pipe', 'pipe', 'pipe'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const reports = new Map<string, ExchangeReport>()
  const done = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const report: ExchangeReport = JSON.parse(line)
      if (report.name === 'end') resolve()
      else reports.set(report.name, report)
    })
    exited.then(([code]) => reject(new Error(`${command} ended with ${code}:\n${complaints}`)), reject)
  })
  child.stdin.write(`${JSON.stringify(plan)}\n`)
  await done
  return {
    reports,
    closeConnections: () => void child.stdin.write('close\n'),
    async exit() {
      child.stdin.end()
      const [code] = await exited
      return { code, complaints }
    },
  }
}
